package io.github.lockstarter.model.takeover;

/**
 * The locks of the master and its replica, and what the taker was granted.
 *
 * @param first the master of the beginning
 * @param second its replica: the master as it was at some earlier time, until it is promoted
 * @param age ticks since the promotion, the grace at most; {@link #NEVER} before
 * @param writes for how many ticks more the first one executes writes; {@link #NEVER} when it does not any more
 * @param behind for how many ticks the replica has not had what its master has
 * @param takerLeft ticks until the deadline of the taker's hold, wherever it was granted
 * @param unacknowledged whether the taker waits for the replica, to count its take-over
 */
record Servers(Lock first, Lock second, int age, int writes, int behind, int takerLeft, boolean unacknowledged) {

    static final int FIRST = 0;
    static final int SECOND = 1;
    static final int NEVER = -1;

    boolean isPromoted() {
        return age != NEVER;
    }

    boolean executes(int server) {
        return server == FIRST ? writes != NEVER : isPromoted();
    }

    Lock lock(int server) {
        return server == FIRST ? first : second;
    }

    boolean isYoung(int server, Rules rules) {
        return server == SECOND && age < rules.grace();
    }

    boolean isQuiet(int server, Rules rules) {
        return server == SECOND && age < rules.window();
    }

    Servers with(int server, Lock lock) {
        return new Servers(
                server == FIRST ? lock : first,
                server == FIRST ? second : lock,
                age,
                writes,
                behind,
                takerLeft,
                unacknowledged);
    }

    Servers withTaker(int left, boolean waits) {
        return new Servers(first, second, age, writes, behind, left, waits);
    }

    Servers replicated() {
        return new Servers(first, first, age, writes, 0, unacknowledged ? first.left() : takerLeft, false);
    }

    Servers promoted() {
        return new Servers(first, second, 0, writes, 0, takerLeft, false);
    }

    /** No token of the holder is that of a hold any more. */
    Servers abandoned() {
        return new Servers(first.abandoned(), second.abandoned(), age, writes, behind, takerLeft, unacknowledged);
    }

    /** The replica is not so far behind that it must catch up first. */
    boolean mayWait(Rules rules) {
        return isUpToDate(rules) || behind < rules.lag();
    }

    private boolean isUpToDate(Rules rules) {
        return isPromoted() || rules.lag() == Rules.ANY_LAG || first.equals(second);
    }

    Servers tick(Rules rules) {
        boolean goesOn = !isPromoted() || writes > 0;
        Lock older = first.tick(rules);
        return new Servers(
                goesOn ? older : Lock.FREE,
                second.tick(rules),
                isPromoted() ? Math.min(age + 1, rules.grace()) : NEVER,
                !isPromoted() ? writes : goesOn ? writes - 1 : NEVER,
                isUpToDate(rules) ? 0 : behind + 1,
                Math.max(takerLeft - 1, 0),
                unacknowledged && older.isOf(Lock.Owner.TAKER));
    }
}
