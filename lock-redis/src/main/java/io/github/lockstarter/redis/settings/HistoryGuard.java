package io.github.lockstarter.redis.settings;

import java.time.Duration;

/**
 * How far locks are protected against a Redis that has forgotten them, as far as this client knows.
 *
 * @param state whether failovers and restarts are recognised
 * @param recovering how much longer, at some server or other, no lock is granted that is free; zero if that was not
 *     said
 */
public record HistoryGuard(State state, Duration recovering) {

    /** Whether failovers and restarts are recognised. */
    public enum State {
        /** They are. */
        GUARDED,
        /** Only a restart without data is: the server does not name its replication history to this user. */
        DEGRADED,
        /** They do not matter: {@code distributed-lock.redis.grace-period} is zero. */
        OFF
    }
}
