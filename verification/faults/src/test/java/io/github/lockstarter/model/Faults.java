package io.github.lockstarter.model;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Faults of servers and clients. Replication lag, and delays or losses of messages, always occur.
 *
 * @param window w: how many ticks a deposed master continues to execute scripts, including the last one
 * @param clockBehind by how many ticks the clock of a promoted replica is behind; 0 if all clocks agree
 * @param kinds the faults
 */
record Faults(int window, int clockBehind, Set<Kind> kinds) {

    /** One thing that may happen, any number of times. */
    enum Kind {
        /** The replica is promoted, whatever it has; or the master restarts with older data, which is the same. */
        FAILOVER,
        /** An answer that gives a lease is delayed. */
        LATE_ANSWER,
        /** {@code FLUSHALL} at the master. */
        FLUSH,
        /** The master restarts without data, and its replica follows. */
        EMPTY_RESTART,
        /** A client that knows no marker, or the current one, requests another lock from the master. */
        NEWCOMER,
        /** A client restarts without knowledge. */
        CLIENT_RESTART,
        /** The first client has never been there before, and Redis neither. */
        FRESH
    }

    static Faults failover(int window) {
        return new Faults(window, 0, EnumSet.of(Kind.FAILOVER));
    }

    static Faults of(int window, Kind... kinds) {
        EnumSet<Kind> all = EnumSet.noneOf(Kind.class);
        all.addAll(List.of(kinds));
        return new Faults(window, 0, all);
    }

    Faults withClockBehind(int ticks) {
        return new Faults(window, ticks, kinds);
    }

    boolean has(Kind kind) {
        return kinds.contains(kind);
    }
}
