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
record Servers(Server first, Server second, int age, int writes, boolean acknowledged) {

    static final int FIRST = 0;
    static final int SECOND = 1;
    static final int NEVER = -1;

    boolean isPromoted() {
        return age != NEVER;
    }

    boolean executes(int server) {
        return server == FIRST ? writes != NEVER : isPromoted();
    }

    Server at(int server) {
        return server == FIRST ? first : second;
    }

    boolean isYoung(int server, Rules rules) {
        return server == SECOND && age < rules.grace();
    }

    boolean isQuiet(int server, Rules rules) {
        return server == SECOND && age < rules.window();
    }

    Servers with(int server, Server other) {
        boolean onFirst = server == FIRST;
        return new Servers(onFirst ? other : first, onFirst ? second : other, age, writes, acknowledged);
    }

    Servers each(UnaryOperator<Server> change) {
        return new Servers(change.apply(first), change.apply(second), age, writes, acknowledged);
    }

    Servers replicated() {
        return new Servers(first, first, age, writes, acknowledged);
    }

    Servers promoted() {
        return new Servers(first, second, 0, writes, acknowledged);
    }

    /** The master, with data that it has saved or none. */
    Servers restarted(Server data) {
        return new Servers(Server.empty(data.locks().size()), data, 0, NEVER, acknowledged);
    }

    /** A taker received an acknowledgement. */
    Servers acknowledged(Rules rules) {
        return new Servers(first, second, age, writes, !rules.keeps(Rule.GRANT_COMPARES_ACKNOWLEDGED));
    }

    Servers renumbered(IntUnaryOperator numbers) {
        return each(server -> server.renumbered(numbers));
    }

    Servers tick(Rules rules) {
        boolean goesOn = executes(FIRST) && (!isPromoted() || writes > 0);
        return new Servers(
                goesOn ? first.tick(rules) : Server.empty(first.locks().size()),
                second.tick(rules),
                isPromoted() ? Math.min(age + 1, rules.grace()) : NEVER,
                !isPromoted() ? writes : goesOn ? writes - 1 : NEVER,
                acknowledged);
    }
}
