package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/**
 * The caller's side of an acquisition: enters a hold of the same thread again, or joins the line of the key, waits for
 * the outcome, and takes the hold. Thread-safe; without state of its own.
 */
final class Acquisitions {

    /** What becomes of a call whose lock another owner had for the whole wait. */
    enum IfBusy {
        /** It throws. */
        THROW,
        /** It returns nothing. */
        RETURN_EMPTY
    }

    private final Running shared;

    Acquisitions(Running shared) {
        this.shared = shared;
    }

    /**
     * Blocks the calling thread, which is the owner, or acquires for the handle. Several keys are acquired in the order
     * given, which is sorted, so that two callers cannot wait for each other. One wait covers all of them; what was
     * acquired is released when one cannot be, or when one is lost before the last is acquired.
     */
    Optional<? extends LockHandle> acquire(List<String> keys, ResolvedRequest terms, HoldOwner owner, IfBusy ifBusy) {
        if (keys.size() == 1) {
            return acquire(keys.get(0), terms, owner, ifBusy);
        }
        List<Handle> acquired = new ArrayList<>(keys.size());
        boolean areHeld = false;
        try {
            long startedAt = shared.clock.nanos();
            for (String key : keys) {
                Optional<Handle> one = acquire(key, rest(terms, startedAt), owner, ifBusy);
                if (one.isEmpty()) {
                    return Optional.empty();
                }
                acquired.add(one.get());
            }
            Optional<LockHandle> all = Optional.of(new CompositeHandle(acquired));
            all.get().ensureHeld();
            areHeld = true;
            return all;
        } finally {
            if (!areHeld) {
                BlockingWait.awaitUninterruptibly(CompositeHandle.giveBack(acquired));
            }
        }
    }

    private ResolvedRequest rest(ResolvedRequest terms, long startedAt) {
        Duration left = terms.maxWait().minusNanos(shared.clock.nanos() - startedAt);
        return terms.waitingUpTo(left.isNegative() ? Duration.ZERO : left);
    }

    Optional<Handle> acquire(String key, ResolvedRequest terms, HoldOwner owner, IfBusy ifBusy) {
        Optional<Handle> nested = owner.isThread() ? reenter(owner, key, terms.atLeast()) : Optional.empty();
        if (nested.isPresent()) {
            return nested;
        }
        if (Thread.currentThread().isInterrupted()) {
            throw Messages.interrupted(key, new InterruptedException());
        }
        StackReserve.ensure();
        Moment now = shared.now();
        Waiter waiter = new Waiter(shared.keyLock(key), terms, owner, now.nanos());
        try {
            shared.join(waiter, now);
            Optional<Handle> granted = granted(waiter, await(waiter), ifBusy);
            if (granted.isPresent()) {
                take(waiter, granted.get(), Settlement.await(granted.get().hold));
            }
            return granted; // nothing may fail once the hold is taken
        } catch (VirtualMachineError e) {
            waiter.forsaken = true;
            shared.hasUnfinished = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
    }

    /** The caller does not take what it was, or may be, granted. Without effect on what it has taken, or given back. */
    private void abandon(Waiter waiter) {
        shared.run(todo -> waiter.lock.leave(todo, waiter, shared.now()));
    }

    /**
     * A nested hold of the current thread, if it has the key. The first call after a loss throws; after that the thread
     * has no hold.
     */
    private Optional<Handle> reenter(HoldOwner owner, String key, Duration atLeast) {
        KeyLock lock = shared.known(key);
        Hold outer = lock == null ? null : lock.enteredBy(owner);
        if (lock == null || outer == null) {
            return Optional.empty();
        }
        if (Settlement.await(outer) && !outer.grant.isCertain()) {
            throw Messages.inDoubt(outer);
        }
        // Made first: behind the entry is no call that could fail, but for the returns.
        Handle handle = new Handle(outer, outer.firstHandle());
        Optional<Handle> nested = Optional.of(handle);
        Hold.State state = lock.enter(outer, handle, atLeast);
        if (state == Hold.State.LOST) {
            throw Messages.lost(outer, shared.now().nanos());
        }
        return state == Hold.State.HELD ? nested : Optional.empty(); // else it is being released
    }

    /** Parks until there is an outcome; at the end of its wait, the caller asks for one. */
    private Outcome await(Waiter waiter) {
        try {
            while (waiter.waits() && !waiter.outcome.isDone() && !waiter.isPast(shared.clock.nanos())) {
                awaitItsEnd(waiter);
            }
            if (waiter.waits() && !waiter.outcome.isDone()) {
                shared.run(todo -> waiter.lock.waitIsOver(todo, waiter, shared.now()));
            }
            return BlockingWait.await(waiter.outcome);
        } catch (InterruptedException e) {
            abandon(waiter);
            report(waiter, Refusal.INTERRUPTED);
            Thread.currentThread().interrupt();
            throw Messages.interrupted(waiter.lock.key, e);
        }
    }

    private void awaitItsEnd(Waiter waiter) throws InterruptedException {
        try {
            BlockingWait.await(waiter.outcome, Duration.ofNanos(waiter.giveUpAt() - shared.clock.nanos()));
        } catch (TimeoutException e) {
            // The wait is over.
        }
    }

    /** A handle that is not {@link #take taken} yet. Listeners get the grant before its owner does. */
    private Optional<Handle> granted(Waiter waiter, Outcome outcome, IfBusy ifBusy) {
        if (outcome instanceof Outcome.Got got) {
            return Optional.of(announce(waiter, got.hold()));
        }
        if (outcome instanceof Outcome.Busy busy) {
            report(waiter, Refusal.CONTENDED);
            if (ifBusy == IfBusy.RETURN_EMPTY) {
                return Optional.empty();
            }
            throw Messages.notAcquired(waiter, busy.obstacle());
        }
        if (outcome instanceof Outcome.Recovering recovering) {
            report(waiter, Refusal.RECOVERING);
            throw Messages.recovering(waiter, recovering.answer());
        }
        if (outcome instanceof Outcome.Failed failure) {
            report(waiter, Refusal.ERROR);
            throw Messages.failed(waiter.lock.key, failure);
        }
        report(waiter, Refusal.INTERRUPTED);
        throw new CancellationException(
                "The wait for lock '" + LockRequest.printable(waiter.lock.key) + "' was cancelled");
    }

    private Handle announce(Waiter waiter, Hold hold) {
        Handle handle = new Handle(hold, null);
        hold.lock.announce(hold, waiter, handle);
        if (shared.events.hasListeners()) {
            reportGrant(waiter, hold);
        }
        return handle;
    }

    /** Hands the hold to its owner, unless it is lost, or in doubt, before the owner could do anything with it. */
    private void take(Waiter waiter, Handle handle, boolean isHeld) {
        Hold hold = handle.hold;
        if (!isHeld) {
            throw Messages.lost(hold, shared.now().nanos());
        }
        if (hold.grant.takesPart() && !hold.grant.isCertain()) {
            throw Messages.unconfirmed(hold);
        }
        if (!hold.lock.take(hold, waiter, handle)) {
            throw new IllegalStateException("The engine released the granted lock; this is a bug in the lock engine");
        }
    }

    private void reportGrant(Waiter waiter, Hold hold) {
        Path path = path(waiter, hold);
        if (path == Path.TAKEN_OVER && !waiter.hadToWait) { // its first attempt found another owner, too
            shared.events.publish(new LockEvent.Contended(hold.terms.name(), hold.lock.key));
        }
        shared.events.publish(new LockEvent.Acquired(
                hold.terms.name(),
                hold.lock.key,
                hold.fencingToken,
                waiter.waited(shared.now().nanos()),
                waiter.attempts,
                path,
                hold.wasHandedOver() ? Optional.empty() : hold.grant.takenOverFrom));
    }

    private static Path path(Waiter waiter, Hold hold) {
        if (hold.wasHandedOver()) {
            return Path.HANDED_OVER;
        }
        if (hold.grant.takenOverFrom.isPresent()) {
            return Path.TAKEN_OVER;
        }
        return waiter.hadToWait ? Path.WAITED : Path.UNCONTENDED;
    }

    private void report(Waiter waiter, Refusal refusal) {
        shared.events.publish(new LockEvent.NotAcquired(
                waiter.terms.name(), waiter.lock.key, waiter.waited(shared.now().nanos()), refusal, waiter.hadToWait));
    }

    /**
     * Blocks no thread; the handle is the owner, and completes the future, or an exception does. If the application
     * completes it, the wait is given up. Several keys as in {@link #acquire}.
     */
    void acquireAsync(List<String> keys, ResolvedRequest terms, CompletableFuture<LockHandle> result) {
        if (keys.size() == 1) {
            acquireAsync(keys.get(0), terms, result);
            return;
        }
        long startedAt = shared.clock.nanos();
        List<Handle> acquired = new ArrayList<>(keys.size());
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (String key : keys) {
            all = all.thenCompose(any -> acquireUnlessDone(key, rest(terms, startedAt), result))
                    .thenAccept(acquired::add);
        }
        all.thenCompose(any -> shared.events.completedForCallers(new CompositeHandle(acquired).ensureHeldAsync()))
                .whenComplete((any, failure) -> {
                    if (failure != null || !result.complete(new CompositeHandle(acquired))) { // it may be cancelled
                        CompositeHandle.giveBack(acquired);
                    }
                    if (failure != null) { // last: what depends on it may block, and ask for one of the keys
                        result.completeExceptionally(Objects.requireNonNullElse(failure.getCause(), failure));
                    }
                });
    }

    /** One of several keys, unless the application has completed the result. */
    private CompletableFuture<Handle> acquireUnlessDone(
            String key, ResolvedRequest terms, CompletableFuture<LockHandle> result) {
        CompletableFuture<Handle> one = new CompletableFuture<>();
        result.whenComplete((all, failure) -> one.cancel(false));
        if (!one.isDone()) {
            acquireAsync(key, terms, one);
        }
        return one;
    }

    void acquireAsync(String key, ResolvedRequest terms, CompletableFuture<? super Handle> result) {
        StackReserve.ensure();
        Moment now = shared.now();
        Waiter waiter = new Waiter(shared.keyLock(key), terms, HoldOwner.HANDLE, now.nanos());
        TimerEntry end = TimerEntry.of(() -> shared.run(todo -> waiter.lock.waitIsOver(todo, waiter, shared.now())));
        try {
            shared.join(waiter, now);
            if (waiter.waits() && !waiter.outcome.isDone()) {
                shared.timer.schedule(end, waiter.giveUpAt());
            }
            waiter.outcome.thenAccept(outcome -> {
                shared.timer.cancel(end);
                shared.events.complete(() -> deliver(waiter, outcome, result));
            });
            result.whenComplete((handle, failure) -> {
                StackReserve.ensure(); // if it throws, the delivery of a later grant releases it
                shared.run(todo -> waiter.lock.giveUp(todo, waiter, shared.now()));
            });
        } catch (VirtualMachineError e) {
            waiter.forsaken = true;
            shared.hasUnfinished = true;
            throw e;
        } catch (RuntimeException | Error e) {
            abandon(waiter);
            throw e;
        }
    }

    private void deliver(Waiter waiter, Outcome outcome, CompletableFuture<? super Handle> result) {
        orFail(waiter, result, () -> {
            Handle handle = granted(waiter, outcome, IfBusy.THROW).orElseThrow();
            shared.events
                    .completedForCallers(Settlement.of(handle.hold))
                    .thenAccept(isHeld -> orFail(waiter, result, () -> {
                        take(waiter, handle, isHeld);
                        if (!result.complete(handle)) {
                            handle.giveBack();
                        }
                    }));
        });
    }

    /** A step of a delivery. If it fails, the caller takes nothing. */
    private void orFail(Waiter waiter, CompletableFuture<?> result, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException | Error e) {
            EngineLog.guard("Giving a lock back", () -> abandon(waiter));
            result.completeExceptionally(e);
        }
    }
}
