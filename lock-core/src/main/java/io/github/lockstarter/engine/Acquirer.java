package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldExceptions;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldOperations;
import io.github.lockstarter.engine.hold.HoldOwner;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.queue.AcquireOutcome;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.release.LockReleaser;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.thread.StackReserve;
import io.github.lockstarter.spi.BlockingWait;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;

/**
 * The way of one acquisition of one key, from the caller's side: enters a hold of the same thread again, or waits for
 * the outcome and takes the hold. Thread-safe; without state of its own.
 */
final class Acquirer {

    /** What becomes of a call whose lock another owner had for the whole wait. */
    enum IfBusy {
        /** It throws. */
        THROW,
        /** It returns nothing. */
        RETURN_EMPTY
    }

    private final EngineClock clock;
    private final EventDispatcher events;
    private final Holds holds;
    private final AttemptRunner attempts;
    private final LockReleaser releaser;
    private final HoldOperations operations;

    Acquirer(EngineContext context, AttemptRunner attempts, LockReleaser releaser, HoldOperations operations) {
        this.clock = context.clock();
        this.events = context.events();
        this.holds = context.holds();
        this.attempts = attempts;
        this.releaser = releaser;
        this.operations = operations;
    }

    /** Blocks the calling thread, which is the owner, or acquires for the handle. */
    Optional<HoldHandle> acquire(String key, ResolvedRequest terms, HoldOwner owner, IfBusy ifBusy) {
        Optional<HoldHandle> nested = owner.isThread() ? reenter(owner, key) : Optional.empty();
        if (nested.isPresent()) {
            return nested;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw AcquireExceptions.interrupted(key, new InterruptedException());
        }
        StackReserve.ensure();
        Acquisition acquisition = attempts.prepare(key, terms, owner);
        try {
            attempts.begin(acquisition);
            Optional<HoldHandle> granted = granted(acquisition, await(acquisition), ifBusy);
            if (granted.isPresent()) {
                take(acquisition, granted.get(), operations.settleDoubt(granted.get().hold));
            }
            return granted; // nothing may fail once the hold is taken
        } catch (VirtualMachineError e) {
            acquisition.forsaken = true;
            operations.hasUnfinished = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(acquisition);
            throw e;
        }
    }

    /** Completes futures of callers on threads that may block. */
    EventDispatcher events() {
        return events;
    }

    /** The caller does not take what it was, or may be, granted. Without effect on what it has taken, or given back. */
    void abandon(Acquisition acquisition) {
        attempts.abandon(acquisition);
        acquisition.hold().filter(hold -> hold.giveBack(acquisition)).ifPresent(releaser::exit);
    }

    /**
     * A nested hold of the current thread, if it has the key. The first call after a loss throws; after that the thread
     * has no hold.
     */
    private Optional<HoldHandle> reenter(HoldOwner owner, String key) {
        Optional<Hold> outer = holds.of(owner, key);
        if (outer.isEmpty()) {
            return Optional.empty();
        }
        Hold hold = outer.get();
        if (operations.settleDoubt(hold) && !hold.isCertain()) {
            throw HoldExceptions.inDoubt(hold);
        }
        // Made first: behind the entry is no call that could fail, but for the returns.
        Optional<HoldHandle> handle = Optional.of(hold.nested(operations));
        if (hold.lifecycle.enter()) {
            return handle;
        }
        if (hold.lifecycle.isLost()) {
            holds.remove(hold);
            throw HoldExceptions.lost(hold);
        }
        return Optional.empty(); // it is being released
    }

    private AcquireOutcome await(Acquisition acquisition) {
        try {
            return BlockingWait.await(acquisition.outcome);
        } catch (InterruptedException e) {
            attempts.abandon(acquisition);
            BlockingWait.awaitUninterruptibly(acquisition.outcome);
            abandon(acquisition);
            report(acquisition, Refusal.INTERRUPTED);
            Thread.currentThread().interrupt();
            throw AcquireExceptions.interrupted(acquisition.key, e);
        }
    }

    /** A handle that is not {@link #take taken} yet. Listeners get the grant before its owner does. */
    private Optional<HoldHandle> granted(Acquisition acquisition, AcquireOutcome outcome, IfBusy ifBusy) {
        if (outcome instanceof AcquireOutcome.Got got) {
            return Optional.of(announce(acquisition, got.hold()));
        }
        if (outcome instanceof AcquireOutcome.Busy busy) {
            report(acquisition, Refusal.CONTENDED);
            if (ifBusy == IfBusy.RETURN_EMPTY) {
                return Optional.empty();
            }
            throw AcquireExceptions.notAcquired(acquisition, busy.obstacle());
        }
        if (outcome instanceof AcquireOutcome.Recovering recovering) {
            report(acquisition, Refusal.RECOVERING);
            throw AcquireExceptions.recovering(acquisition, recovering.answer());
        }
        if (outcome instanceof AcquireOutcome.Failed failure) {
            report(acquisition, Refusal.ERROR);
            throw AcquireExceptions.failed(acquisition.key, failure);
        }
        report(acquisition, Refusal.INTERRUPTED);
        throw new CancellationException(
                "The wait for lock '" + LockRequest.printable(acquisition.key) + "' was cancelled");
    }

    /** Listeners get the grant first, so that they get every loss of a lock that they know. */
    private HoldHandle announce(Acquisition acquisition, Hold hold) {
        HoldHandle handle = new HoldHandle(hold, operations, null);
        acquisition.handle = handle;
        hold.announced = true;
        holds.announced(hold);
        if (events.hasListeners()) {
            reportGrant(acquisition, hold);
        }
        return handle;
    }

    /** Hands the hold to its owner, unless it is lost, or in doubt, before the owner could do anything with it. */
    private void take(Acquisition acquisition, HoldHandle handle, boolean isHeld) {
        Hold hold = handle.hold;
        if (!isHeld) {
            operations.reportLoss(hold);
            throw HoldExceptions.lost(hold);
        }
        if (!hold.isCertain()) {
            throw HoldExceptions.unconfirmed(hold);
        }
        if (!hold.take(acquisition, handle)) {
            throw new IllegalStateException("The engine released the granted lock; this is a bug in the lock engine");
        }
    }

    private void reportGrant(Acquisition acquisition, Hold hold) {
        Path path = path(acquisition, hold);
        if (path == Path.TAKEN_OVER && !acquisition.queued) { // its first attempt found another owner, too
            events.publish(new LockEvent.Contended(hold.terms.name(), hold.key));
        }
        events.publish(new LockEvent.Acquired(
                hold.terms.name(),
                hold.key,
                hold.fencingToken,
                acquisition.waited(clock.nanos()),
                acquisition.attempts,
                path,
                hold.wasHandedOver() ? Optional.empty() : hold.grant.takenOverFrom()));
    }

    private static Path path(Acquisition acquisition, Hold hold) {
        if (hold.wasHandedOver()) {
            return Path.HANDED_OVER;
        }
        if (hold.grant.takenOverFrom().isPresent()) {
            return Path.TAKEN_OVER;
        }
        return acquisition.queued ? Path.WAITED : Path.UNCONTENDED;
    }

    private void report(Acquisition acquisition, Refusal refusal) {
        events.publish(new LockEvent.NotAcquired(
                acquisition.terms.name(),
                acquisition.key,
                acquisition.waited(clock.nanos()),
                refusal,
                acquisition.queued));
    }

    /**
     * Blocks no thread; the handle is the owner, and completes the future, or an exception does. If the application
     * completes it, the wait is given up.
     */
    void acquireAsync(String key, ResolvedRequest terms, CompletableFuture<? super HoldHandle> result) {
        StackReserve.ensure();
        Acquisition acquisition = attempts.prepare(key, terms, HoldOwner.HANDLE);
        try {
            attempts.begin(acquisition);
            acquisition.outcome.thenAccept(outcome -> events.complete(() -> deliver(acquisition, outcome, result)));
            result.whenComplete((handle, failure) -> {
                StackReserve.ensure(); // if it throws, what is granted yet is released by its delivery
                attempts.abandon(acquisition);
            });
        } catch (VirtualMachineError e) {
            acquisition.forsaken = true;
            operations.hasUnfinished = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(acquisition);
            throw e;
        }
    }

    private void deliver(
            Acquisition acquisition, AcquireOutcome outcome, CompletableFuture<? super HoldHandle> result) {
        try {
            HoldHandle handle = granted(acquisition, outcome, IfBusy.THROW).orElseThrow();
            events.completedForCallers(operations.settle(handle.hold))
                    .thenAccept(isHeld ->
                            EngineLog.guard("Delivering a lock", () -> deliver(acquisition, handle, isHeld, result)));
        } catch (RuntimeException | Error e) {
            fail(acquisition, e, result);
        }
    }

    private void fail(Acquisition acquisition, Throwable failure, CompletableFuture<? super HoldHandle> result) {
        try {
            abandon(acquisition);
        } finally {
            result.completeExceptionally(failure);
        }
    }

    private void deliver(
            Acquisition acquisition, HoldHandle handle, boolean isHeld, CompletableFuture<? super HoldHandle> result) {
        try {
            take(acquisition, handle, isHeld);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e, result);
            return;
        }
        handle.keepFor(acquisition.terms.atLeast());
        if (!result.complete(handle)) {
            handle.keepNothing();
            handle.beginRelease();
        }
    }
}
