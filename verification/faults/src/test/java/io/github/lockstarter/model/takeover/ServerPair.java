package io.github.lockstarter.model.takeover;

import java.util.function.IntUnaryOperator;
import java.util.function.UnaryOperator;

/**
 * The master and its replica.
 *
 * @param first the initial master
 * @param second its replica, or its saved data: the master at some earlier time
 * @param age ticks since the promotion or the restart, at most the grace; {@link #NEVER} before
 * @param writes for how many more ticks the deposed first one executes writes; {@link #NEVER} afterwards
 * @param acknowledged whether a taker received an acknowledgement of a trace, if that is enough for a grant
 */
record ServerPair(TakeoverServer first, TakeoverServer second, int age, int writes, boolean acknowledged) {

    static final int FIRST = 0;
    static final int SECOND = 1;
    static final int NEVER = -1;

    boolean isPromoted() {
        return age != NEVER;
    }

    boolean executes(int server) {
        return server == FIRST ? writes != NEVER : isPromoted();
    }

    TakeoverServer at(int server) {
        return server == FIRST ? first : second;
    }

    boolean isYoung(int server, TakeoverRules rules) {
        return server == SECOND && age < rules.grace();
    }

    boolean isQuiet(int server, TakeoverRules rules) {
        return server == SECOND && age < rules.window();
    }

    ServerPair with(int server, TakeoverServer other) {
        boolean onFirst = server == FIRST;
        return new ServerPair(onFirst ? other : first, onFirst ? second : other, age, writes, acknowledged);
    }

    ServerPair each(UnaryOperator<TakeoverServer> change) {
        return new ServerPair(change.apply(first), change.apply(second), age, writes, acknowledged);
    }

    ServerPair replicated() {
        return new ServerPair(first, first, age, writes, acknowledged);
    }

    ServerPair promoted() {
        return new ServerPair(first, second, 0, writes, acknowledged);
    }

    /** The master, with data that it has saved or none. */
    ServerPair restarted(TakeoverServer data) {
        return new ServerPair(TakeoverServer.empty(data.locks().size()), data, 0, NEVER, acknowledged);
    }

    /** A taker received an acknowledgement. */
    ServerPair acknowledged(TakeoverRules rules) {
        return new ServerPair(first, second, age, writes, !rules.keeps(Rule.GRANT_COMPARES_ACKNOWLEDGED));
    }

    ServerPair renumbered(IntUnaryOperator numbers) {
        return each(server -> server.renumbered(numbers));
    }

    ServerPair tick(TakeoverRules rules) {
        boolean goesOn = executes(FIRST) && (!isPromoted() || writes > 0);
        return new ServerPair(
                goesOn ? first.tick(rules) : TakeoverServer.empty(first.locks().size()),
                second.tick(rules),
                isPromoted() ? Math.min(age + 1, rules.grace()) : NEVER,
                !isPromoted() ? writes : goesOn ? writes - 1 : NEVER,
                acknowledged);
    }
}
