package io.github.lockstarter.engine.queue;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** How one acquisition of one key ended. */
public sealed interface AcquireOutcome {

    /** The lock is ours. */
    record Got(Hold hold) implements AcquireOutcome {}

    /** Another owner had the lock for the whole wait. */
    record Busy(Obstacle obstacle) implements AcquireOutcome {}

    /** The store may have forgotten the owner, and granted no free lock at the end of the wait. */
    record Recovering(AcquireResult.Recovering answer) implements AcquireOutcome {}

    /**
     * The store failed, or the client did.
     *
     * @param isCertain whether the lock was certainly not granted
     */
    record Failed(
            boolean isCertain, String reason, @Nullable Throwable cause) implements AcquireOutcome {

        /** The store certainly granted nothing. */
        public static Failed withoutGrant(String reason, @Nullable Throwable cause) {
            return new Failed(true, reason, cause);
        }

        /** It is unknown whether the lock was granted. */
        public static Failed unknown(String reason, @Nullable Throwable cause) {
            return new Failed(false, reason, cause);
        }

        /** This instance grants no locks any more. */
        public static final Failed SHUT_DOWN = unknown("the lock client is shut down", null);

        /** A grant whose answer took longer than the lease. */
        public static Failed tooLate(Duration lease) {
            return unknown(
                    "the answer took longer than the lease of " + DurationText.of(lease) + "; raise leaseMs", null);
        }
    }

    /** The caller does not want it any more: interrupted, or the future was cancelled. */
    record Abandoned() implements AcquireOutcome {}
}
