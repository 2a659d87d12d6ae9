package io.github.lockstarter;

import java.time.Duration;
import java.util.Objects;

/**
 * The lock store may have forgotten locks, such as after a restart, a failover or {@code FLUSHALL}, and grants no free
 * lock until the longest lease it may have forgotten is over. Until then it is unknown whether another owner has the
 * lock. Nothing of the attempt is left behind; held locks stay held and are renewed.
 */
public final class LockStoreRecoveringException extends LockBackendException {

    /** For about how long the store goes on to refuse. */
    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param key the lock's key
     * @param message what happened, for how long the store refuses, and what to do
     * @param retryAfter for about how long the store goes on to refuse
     */
    public LockStoreRecoveringException(String key, String message, Duration retryAfter) {
        super(key, message, null);
        this.retryAfter = Objects.requireNonNull(retryAfter, "retryAfter");
    }

    /**
     * For about how long the store goes on to refuse, as its last answer said: fit for an HTTP header {@code
     * Retry-After}.
     *
     * @return the time, never negative
     */
    public Duration retryAfter() {
        return retryAfter;
    }
}
