package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.FailedResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Creates the engine's exceptions: failure, key, numbers, remedy. */
final class Messages {

    private Messages() {}

    // Of acquisitions

    static LockNotAcquiredException notAcquired(Waiter waiter, Obstacle obstacle) {
        Optional<String> left = obstacle.remaining().map(DurationText::of);
        String why = obstacle.isKept()
                ? "released, and kept for its minimum hold"
                        + left.map(rest -> " for " + rest + " more").orElse("")
                        + ". Raise maxWait, or lower minHold of the last holder."
                : "held by " + obstacle.holderText() + "; "
                        + left.map(rest -> "its lease ends in " + rest + " unless it is renewed")
                                .orElse("no end of its lease is known")
                        + ". Raise maxWait, or shorten the locked section.";
        return new LockNotAcquiredException(waiter.lock.key, couldNotAcquire(waiter) + why);
    }

    static LockStoreRecoveringException recovering(Waiter waiter, AcquireResult.Recovering answer) {
        return new LockStoreRecoveringException(
                waiter.lock.key,
                couldNotAcquire(waiter) + answer.problem() + ", so it grants no free locks for another "
                        + DurationText.of(answer.retryAfter())
                        + " (the grace period, by default distributed-lock.max-lease), since owners of forgotten locks"
                        + " may still be working. There is nothing to do: after that time free locks are granted again",
                answer.retryAfter());
    }

    private static String couldNotAcquire(Waiter waiter) {
        String within = waiter.waits() ? "within " + DurationText.of(waiter.request.maxWait()) : "at once";
        return "Could not acquire lock '" + waiter.lock.key + "' " + within + " (" + attempts(waiter) + "): ";
    }

    private static String attempts(Waiter waiter) {
        return switch (waiter.attempts) {
            case 0 -> waiter.waits() ? "behind other callers of this JVM" : "held in this JVM";
            case 1 -> "1 attempt";
            default -> waiter.attempts + " attempts";
        };
    }

    static IllegalStateException mustNotBlock(String key) {
        return new IllegalStateException("Cannot acquire lock '" + LockRequest.printable(key) + "' on the thread "
                + Thread.currentThread().getName() + ": it serves all locks of this instance, so it must not wait for"
                + " one. Acquire the lock on a thread of the application, or with acquireAsync or executeAsync");
    }

    static LockBackendException shutDown(String key) {
        return new LockBackendException(
                key,
                "Cannot acquire lock '" + key + "': the lock client is shut down, because the application is stopping."
                        + " Start no work that needs a lock any more",
                null);
    }

    static LockBackendException failed(String key, WaitOutcome.Failed failure) {
        if (failure.isOfShutdown()) {
            return shutDown(key);
        }
        return new LockBackendException(
                key,
                failure.certainlyNotGranted()
                        ? "Lock '" + key + "' was not acquired: " + failure.reason()
                        : "The caller does not hold lock '" + key + "': " + failure.reason()
                                + ". The store may have executed the request; if so, the grant is released in the"
                                + " background, or ends with its lease",
                failure.cause());
    }

    static IllegalArgumentException onePermitOnly(String key, int permits) {
        return new IllegalArgumentException("Lock '" + LockRequest.printable(key) + "' has " + permits
                + " permits, and this lock store keeps only locks with one. Leave the permits out, or keep the lock in"
                + " another store");
    }

    static IllegalArgumentException noReaders(String key) {
        return new IllegalArgumentException("Lock '" + LockRequest.printable(key) + "' is read (mode READ), and this"
                + " lock store has no locks for readers. Leave the mode out, or keep the lock in another store");
    }

    static void checkKept(String key, Duration minHold, StoreCapabilities store) {
        if (!minHold.isZero() && !store.minHold()) {
            throw new IllegalArgumentException("Lock '" + LockRequest.printable(key) + "' has a minimum hold of "
                    + DurationText.exactly(minHold) + ", and this lock store keeps no lock after its release. Leave the"
                    + " minimum hold out, or keep the lock in another store");
        }
    }

    static void checkTicket(String key, ResolvedRequest request, boolean kept, StoreCapabilities store) {
        if (!store.tickets()) {
            throw noTicket(key, "this lock store cannot pass a lock on. Keep the lock in another store");
        }
        if (request.reads()) {
            throw noTicket(key, "it is read (mode READ), perhaps by others too. Acquire it to write");
        }
        if (request.permits() > 1 || kept) {
            throw noTicket(key, "it has several permits or a minimum hold. Leave them out");
        }
    }

    static IllegalStateException noTicket(String key, String why) {
        return new IllegalStateException("Lock '" + LockRequest.printable(key) + "' can have no ticket: " + why);
    }

    static LockLostException notAttached(Waiter waiter, Obstacle obstacle) {
        String found = obstacle.isKept()
                ? "the lock is released, and kept for its minimum hold"
                : obstacle.remaining().filter(Duration::isZero).isPresent()
                        ? "the lock is free"
                        : "the lock is held by " + obstacle.holderText();
        return new LockLostException(
                waiter.lock.key,
                "Could not attach lock '" + waiter.lock.key + "' by its ticket: " + found
                        + ". The ticket was attached or released before, its lease ended, or an operator revoked it;"
                        + " nothing has changed. Repeat the work under a lock of its own, unless another instance has"
                        + " done it");
    }

    static LockInterruptedException interrupted(String key, InterruptedException cause) {
        return new LockInterruptedException(
                key, "Interrupted while waiting for lock '" + key + "'; the attempt was undone", cause);
    }

    // Of holds

    static LockLostException lost(Hold hold, long now) {
        int failed = hold.failedRenewals;
        String renewals =
                failed == 0 ? "" : " after " + failed + (failed == 1 ? " failed renewal" : " failed renewals");
        LossCause cause = hold.lossCause == null ? LossCause.LEASE_EXPIRED : hold.lossCause;
        String what =
                switch (cause) {
                    case LEASE_EXPIRED -> "the " + DurationText.of(hold.request.lease()) + " lease ran out" + renewals;
                    case OWNER_CHANGED -> "it was deleted, or taken by another owner, at the lock store";
                    case MAX_HOLD ->
                        "it was held longer than its max-hold"
                                + hold.request
                                        .maxHold()
                                        .map(max -> " of " + DurationText.of(max))
                                        .orElse("");
                    case REVOKED -> "an operator took it away";
                    case TAKEN_OVER ->
                        "this instance was cut off from the lock store, or paused, for longer than " + certainTime(hold)
                                + ", and the store no longer has it: most likely, another instance took the lock over";
                    case HISTORY_CHANGED ->
                        "the lock store restarted or failed over, and had not answered for longer than "
                                + certainTime(hold)
                                + ": it may have forgotten that another instance had the lock meanwhile";
                    case SHUTDOWN -> "the lock client was shut down";
                };
        return new LockLostException(
                hold.lock.key,
                "Lost " + named(hold) + " after " + DurationText.of(hold.held(now)) + ": " + what
                        + ". Work since then may overlap with another owner; check the fencing token where you write.");
    }

    private static String named(Hold hold) {
        return "lock '" + hold.lock.key + "' (fencing token " + hold.fencingToken + ")";
    }

    private static String certainTime(Hold hold) {
        return hold.grant
                .sessionTime()
                .map(time -> "its session is certain (" + DurationText.of(time) + ")")
                .orElseGet(() -> "crash-takeover (" + DurationText.of(hold.request.crashTakeover()) + ")");
    }

    static LockBackendException notDetached(Hold hold, @Nullable AcquireResult answer, ReleaseOutcome outcome) {
        String fate = outcome == ReleaseOutcome.RELEASED
                ? "which is released"
                : "which is being released, and ends with its lease at the latest";
        String failed = "Could not detach " + named(hold) + ", " + fate + "; there is no ticket: ";
        if (answer instanceof AcquireResult.Recovering recovering) {
            return new LockStoreRecoveringException(
                    hold.lock.key,
                    failed + recovering.problem() + ", so it passes no lock on for another "
                            + DurationText.of(recovering.retryAfter()),
                    recovering.retryAfter());
        }
        return answer instanceof FailedResult failure
                ? new LockBackendException(hold.lock.key, failed + failure.reason(), failure.cause())
                : new LockBackendException(hold.lock.key, failed + KeyLock.FAILED, null);
    }

    static IllegalStateException readsOnly(Hold hold) {
        return new IllegalStateException(LockRequest.printable("Cannot write under " + named(hold)
                + ", which this caller has acquired to read: two readers that wait for each other to leave would wait"
                + " forever. Release the lock that is read first, or acquire it to write from the beginning"));
    }

    static IllegalStateException released(Hold hold) {
        return new IllegalStateException(
                LockRequest.printable("This handle has released " + named(hold) + "; acquire it again"));
    }

    static LockBackendException inDoubt(Hold hold) {
        return new LockBackendException(
                hold.lock.key,
                "Cannot enter " + named(hold)
                        + " again: the lock store did not answer for a while, or failed over, and has not confirmed "
                        + "yet that the lock is still held. Try again once LockHandle.isHeld() is true",
                null);
    }

    static LockBackendException unanswered(Hold hold) {
        return new LockBackendException(
                hold.lock.key,
                "Cannot tell whether " + named(hold)
                        + " is still held: the lock store did not answer for a while, or failed over, and did not"
                        + " confirm the lock within a command timeout. Another instance may have taken it over. Repeat"
                        + " the work, as after any outage of the store",
                null);
    }

    static LockBackendException unconfirmed(Hold hold) {
        return new LockBackendException(
                hold.lock.key,
                "Could not acquire " + named(hold)
                        + " in time: the store granted it late, and has not confirmed since that no other "
                        + "instance took it over. The lock is released. Check the connection to the lock store",
                null);
    }

    static LockInterruptedException interrupted(Hold hold, InterruptedException cause) {
        return new LockInterruptedException(
                hold.lock.key,
                "Interrupted while asking the lock store whether " + named(hold) + " is still held",
                cause);
    }

    static LockInterruptedException interruptedExtension(Hold hold, InterruptedException cause) {
        return new LockInterruptedException(
                hold.lock.key,
                "Interrupted while extending " + named(hold)
                        + "; its lease is at least as long as before, and perhaps longer",
                cause);
    }

    static LockBackendException notDowngraded(Hold hold, AcquireResult answer) {
        Optional<FailedResult> failed =
                answer instanceof FailedResult failure ? Optional.of(failure) : Optional.empty();
        return new LockBackendException(
                hold.lock.key,
                "Could not downgrade " + named(hold) + ": "
                        + failed.map(FailedResult::reason).orElse("all slots of readers are taken, or it is gone")
                        + ". Others may read it already. Call downgrade again, or release the lock",
                failed.map(FailedResult::cause).orElse(null));
    }

    static LockInterruptedException interruptedDowngrade(Hold hold, InterruptedException cause) {
        return new LockInterruptedException(
                hold.lock.key, "Interrupted while downgrading " + named(hold) + "; others may read it", cause);
    }

    static IllegalStateException cannotDowngrade(Hold hold) {
        return new IllegalStateException(LockRequest.printable("Cannot downgrade " + named(hold)
                + ": it has other handles, several permits or a minimum hold. Downgrade a lock with one handle"));
    }

    static LockBackendException unknownExtension(Hold hold, RenewResult.Unknown unknown) {
        return new LockBackendException(
                hold.lock.key,
                "Could not extend " + named(hold) + "; its lease is at least as long as before: " + unknown.reason(),
                unknown.cause());
    }

    static LockStoreRecoveringException recovering(Hold hold, RenewResult.Deferred answer) {
        return new LockStoreRecoveringException(
                hold.lock.key,
                "Could not extend " + named(hold) + ": the lock store is recovering for "
                        + DurationText.of(answer.retryAfter()) + " more; its lease is unchanged",
                answer.retryAfter());
    }
}
