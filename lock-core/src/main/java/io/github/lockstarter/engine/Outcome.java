package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How a caller's wait for one key ended. */
sealed interface Outcome {

    /** The lock is ours. */
    record Got(Hold hold) implements Outcome {}

    /** Another owner had the lock for the whole wait. */
    record Busy(Obstacle obstacle) implements Outcome {}

    /** The store may have forgotten the owner, and granted no free lock at the end of the wait. */
    record Recovering(AcquireResult.Recovering answer) implements Outcome {}

    /**
     * The store failed, or the client did.
     *
     * @param isCertain whether the lock was certainly not granted
     */
    record Failed(
            boolean isCertain, String reason, @Nullable Throwable cause) implements Outcome {

        static final Failed TAKEN_AWAY = new Failed(false, "an operator took it away at the moment of the grant", null);

        /** This instance grants no locks any more. */
        static Failed shutDown() {
            return new Failed(false, "the lock client is shut down", null);
        }

        /** A grant whose answer took longer than the lease. */
        static Failed tooLate(Duration lease) {
            return new Failed(
                    false,
                    "the answer took longer than the lease of " + DurationText.of(lease) + "; raise leaseMs",
                    null);
        }
    }

    /** The caller does not want it any more: interrupted, or the future was cancelled. */
    record Abandoned() implements Outcome {}
}
