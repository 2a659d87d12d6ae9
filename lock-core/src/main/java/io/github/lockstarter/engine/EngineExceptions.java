package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin.StoredLock.Holder;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.RenewResult;
import java.util.function.Supplier;

/** The engine's exceptions: what failed, which key, the numbers, what to do. */
final class EngineExceptions {

    private EngineExceptions() {}

    static LockNotAcquiredException notAcquired(Acquisition acquisition, Obstacle obstacle) {
        String left = obstacle.remaining()
                .map(remaining -> "for about " + DurationText.of(remaining) + " more")
                .orElse("and its lease never ends by itself");
        return new LockNotAcquiredException(
                acquisition.key,
                couldNotAcquire(acquisition) + "held by " + holder(obstacle) + ' ' + left
                        + ". Raise waitMs or shorten the locked section.");
    }

    static LockStoreRecoveringException recovering(Acquisition acquisition, AcquireResult.Recovering answer) {
        return new LockStoreRecoveringException(
                acquisition.key,
                couldNotAcquire(acquisition) + answer.problem() + ", so it grants no free locks for about "
                        + DurationText.of(answer.retryAfter()) + " more."
                        + (answer.remedy().isEmpty() ? "" : " ")
                        + answer.remedy(),
                answer.retryAfter());
    }

    static LockStoreRecoveringException recovering(Hold hold, RenewResult.Deferred answer) {
        return new LockStoreRecoveringException(
                hold.key,
                "Could not extend lock '" + hold.key + "': the lock store is recovering for "
                        + DurationText.of(answer.retryAfter()) + " more; its lease is what it was",
                answer.retryAfter());
    }

    private static String couldNotAcquire(Acquisition acquisition) {
        String within = acquisition.waits() ? "within " + DurationText.of(acquisition.terms.maxWait()) : "at once";
        return "Could not acquire lock '" + acquisition.key + "' " + within + " (" + attempts(acquisition) + "): ";
    }

    private static String holder(Obstacle obstacle) {
        return obstacle.holder().map(Supplier::get).orElse("another owner");
    }

    /** Somebody of this instance. */
    static String holder(Hold hold) {
        return caller(hold.owner.label()) + " of this instance, which has had it for " + DurationText.of(hold.held()) + ",";
    }

    /** Somebody of whom the backend tells. */
    static String holder(Holder holder) {
        String instance = "instance " + holder.instance();
        return holder.owner().map(owner -> caller(owner) + " of " + instance).orElse(instance)
                + holder.since()
                        .map(since -> ", which has had it since " + since + ",")
                        .orElse("");
    }

    private static String caller(String owner) {
        return owner.equals(HeldLock.ASYNC) ? "an asynchronous caller" : "thread '" + owner + "'";
    }

    private static String attempts(Acquisition acquisition) {
        return switch (acquisition.attempts) {
            case 0 -> acquisition.waits() ? "behind others of this JVM" : "held in this JVM";
            case 1 -> "1 attempt";
            default -> acquisition.attempts + " attempts";
        };
    }

    static LockBackendException failed(String key, AcquireOutcome.Failed failure) {
        return new LockBackendException(
                key,
                "Cannot tell whether lock '" + key + "' was acquired; it is not held: " + failure.reason(),
                failure.cause());
    }

    static LockInterruptedException interrupted(String key, InterruptedException cause) {
        return new LockInterruptedException(
                key, "Interrupted while waiting for lock '" + key + "'; nothing is left of the attempt", cause);
    }

    static LockLostException lost(Hold hold) {
        int failed = hold.failedRenewals();
        String renewals =
                failed == 0 ? "" : " after " + failed + (failed == 1 ? " failed renewal" : " failed renewals");
        String what =
                switch (hold.lossCause()) {
                    case LEASE_EXPIRED -> "the " + DurationText.of(hold.terms.lease()) + " lease ran out" + renewals;
                    case OWNER_CHANGED -> "it was deleted, or taken by another owner, at the lock store";
                    case MAX_HOLD -> "it was held longer than distributed-lock.watchdog.max-hold";
                    case REVOKED -> "an operator took it away";
                    case SHUTDOWN -> "the lock client was shut down";
                };
        return new LockLostException(
                hold.key,
                "Lost lock '" + hold.key + "' (fencing token " + hold.fencingToken + ") after "
                        + DurationText.of(hold.held()) + ": " + what
                        + ". Work since then may overlap with another owner; check the fencing token where you write.");
    }

    static IllegalStateException released(Hold hold) {
        return new IllegalStateException("Lock '" + LockRequest.printable(hold.key) + "' (fencing token "
                + hold.fencingToken + ") was released by this handle; acquire it again");
    }
}
