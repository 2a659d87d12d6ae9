package io.github.lockstarter;

import java.time.Duration;
import java.util.Objects;

/**
 * The lock store may have forgotten locks, such as after a restart, a failover or {@code FLUSHALL}, and grants no free
 * lock until the longest lease it may have forgotten has ended. Held locks stay held and are renewed.
 */
public final class LockStoreRecoveringException extends LockBackendException {

    /** Approximate time until the store grants locks. */
    private final Duration retryAfter;

    /**
     * Creates the exception.
     *
     * @param key key
     * @param message failure and remedy
     * @param retryAfter as {@link #retryAfter}
     */
    public LockStoreRecoveringException(String key, String message, Duration retryAfter) {
        super(key, message, null);
        this.retryAfter = Objects.requireNonNull(retryAfter, "retryAfter");
    }

    /** {@return the approximate time until the store grants locks, never negative; fit for {@code Retry-After}} */
    public Duration retryAfter() {
        return retryAfter;
    }
}
