package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletionStage;

/**
 * A store's way to tell an instance that has crashed from one that is paused: the connection on which it hears this
 * instance, which the operating system closes with the process and keeps open while the process is stopped.
 *
 * <p>The store takes a lock over no sooner than its token's {@link LockToken#takeOverMillis take-over time} after it
 * first saw that it does not hear the owner's instance, and not while it may have forgotten locks. A renewal of the
 * lock in between starts that time anew. Thread-safe.
 */
public interface CrashDetection {

    /**
     * Asks whether the store hears this instance. Returns at once.
     *
     * <p>A positive answer proves that the connection was open, and was heard by the very server that grants locks, at
     * a moment after this call. Each connection has a number of its own, also one that replaces another after a break.
     *
     * @return completed with the number of the connection, 1 or above; with empty if the store does not hear this
     *     instance, or did not answer; never with an exception. Not completed before the first command has opened a
     *     connection
     */
    CompletionStage<OptionalLong> beat();

    /**
     * How long a command waits for its answer, and so a caller for an answer about a lock that is in doubt. Constant.
     *
     * @return above zero
     */
    Duration commandTimeout();

    /**
     * For how long a lock of this instance is certain after a beat, or a command that granted or renewed the lock, was
     * sent and answered: where a session decides, which the store ends by itself when it has not heard this instance
     * for some time, whatever the take-over times and leases of the locks are. A beat with another number is one of
     * another session. May change when the store grants a session. Returns at once.
     *
     * @return empty if the take-over times of the locks decide, as by default
     */
    default Optional<Duration> certainTime() {
        return Optional.empty();
    }
}
