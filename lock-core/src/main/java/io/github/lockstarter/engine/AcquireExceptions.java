package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.engine.queue.AcquireOutcome;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.queue.Obstacle;
import io.github.lockstarter.spi.AcquireResult;

/** Exceptions of acquisitions: what failed, which key, the numbers, what to do. */
final class AcquireExceptions {

    private AcquireExceptions() {}

    static LockNotAcquiredException notAcquired(Acquisition acquisition, Obstacle obstacle) {
        if (obstacle.isKept()) {
            String rest = obstacle.remaining()
                    .map(left -> "for " + DurationText.of(left) + " more")
                    .orElse("");
            return new LockNotAcquiredException(
                    acquisition.key,
                    couldNotAcquire(acquisition) + "released, and kept for its minimum time " + rest
                            + ". Wait longer (waitMs, waitingUpTo), or lower atLeastMs of the last holder.");
        }
        String lease = obstacle.remaining()
                .map(left -> "its lease ends in " + DurationText.of(left) + " unless it is renewed")
                .orElse("no end of its lease is known");
        return new LockNotAcquiredException(
                acquisition.key,
                couldNotAcquire(acquisition) + "held by " + obstacle.holderText() + "; " + lease
                        + ". Wait longer (waitMs, waitingUpTo), or shorten the locked section.");
    }

    static LockStoreRecoveringException recovering(Acquisition acquisition, AcquireResult.Recovering answer) {
        return new LockStoreRecoveringException(
                acquisition.key,
                couldNotAcquire(acquisition) + answer.problem() + ", so it grants no free locks for another "
                        + DurationText.of(answer.retryAfter())
                        + " (the grace period, by default distributed-lock.max-lease), since owners of forgotten locks"
                        + " may still be working. There is nothing to do: after that time free locks are granted again",
                answer.retryAfter());
    }

    private static String couldNotAcquire(Acquisition acquisition) {
        String within = acquisition.waits() ? "within " + DurationText.of(acquisition.terms.maxWait()) : "at once";
        return "Could not acquire lock '" + acquisition.key + "' " + within + " (" + attempts(acquisition) + "): ";
    }

    private static String attempts(Acquisition acquisition) {
        return switch (acquisition.attempts) {
            case 0 -> acquisition.waits() ? "behind other callers of this JVM" : "held in this JVM";
            case 1 -> "1 attempt";
            default -> acquisition.attempts + " attempts";
        };
    }

    static LockBackendException shutDown(String key) {
        return new LockBackendException(
                key,
                "Cannot acquire lock '" + key + "': the lock client is shut down, because the application is stopping."
                        + " Start no work that needs a lock any more",
                null);
    }

    static LockBackendException failed(String key, AcquireOutcome.Failed failure) {
        if (failure.equals(AcquireOutcome.Failed.SHUT_DOWN)) {
            return shutDown(key);
        }
        return new LockBackendException(
                key,
                failure.isCertain()
                        ? "Lock '" + key + "' was not acquired: " + failure.reason()
                        : "The caller does not hold lock '" + key + "': " + failure.reason()
                                + ". The store may have executed the request; if so, the grant is released in the"
                                + " background",
                failure.cause());
    }

    static LockInterruptedException interrupted(String key, InterruptedException cause) {
        return new LockInterruptedException(
                key, "Interrupted while waiting for lock '" + key + "'; the attempt was undone", cause);
    }
}
