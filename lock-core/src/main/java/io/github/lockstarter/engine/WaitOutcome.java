package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Outcome of a caller's wait for one key. */
sealed interface WaitOutcome {

    record Granted(Hold hold) implements WaitOutcome {}

    /** At the end of the wait, another owner had the lock or it was kept. */
    record Busy(Obstacle obstacle) implements WaitOutcome {}

    /** The store may have forgotten the owner and granted no free locks. */
    record Recovering(AcquireResult.Recovering answer) implements WaitOutcome {}

    /**
     * The store or the client failed.
     *
     * @param certainlyNotGranted false if unknown
     */
    record Failed(
            boolean certainlyNotGranted,
            String reason,
            @Nullable Throwable cause) implements WaitOutcome {

        static final Failed REVOKED = new Failed(false, "an operator took it away at the moment of the grant", null);

        static Failed shutDown() {
            return new Failed(false, "the lock client is shut down", null);
        }

        boolean isOfShutdown() {
            return equals(shutDown());
        }

        static Failed tooLate(Duration lease) {
            return new Failed(
                    false,
                    "the answer took longer than the lease of " + DurationText.of(lease) + "; raise leaseMs",
                    null);
        }
    }

    /** The caller was interrupted or cancelled, or its call failed. */
    record Cancelled() implements WaitOutcome {}
}
