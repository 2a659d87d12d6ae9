package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockThreads;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The caller's side of an acquisition: enters a hold of the same thread again, or joins the key's line, waits for the
 * outcome and takes the hold. Stateless, thread-safe.
 */
final class Acquisitions {

    enum IfBusy {
        THROW,
        RETURN_EMPTY
    }

    final Running running;

    Acquisitions(Running running) {
        this.running = running;
    }

    /**
     * Blocks the calling thread. Keys are acquired in the given, sorted order, so two callers cannot deadlock. One wait
     * covers all; if one key cannot be acquired, or one is lost before the last is acquired, all are released.
     */
    Optional<? extends LockHandle> acquireAll(
            List<String> keys, ResolvedRequest request, HoldOwner owner, IfBusy ifBusy) {
        StackReserve.ensure(); // for an entry, even a nested one, and its release
        if (keys.size() == 1) {
            Optional<Handle> nested =
                    request.ticket().isPresent() ? Optional.empty() : reenter(owner, keys.get(0), request);
            return nested.isPresent() ? nested : acquireOne(keys.get(0), request, owner, ifBusy);
        }
        ResolvedRequest entry = request.withoutMinHold();
        List<Handle> acquired = new ArrayList<>(keys.size());
        boolean held = false;
        try {
            long startedAt = running.clock.nanos();
            for (String key : keys) {
                Optional<Handle> one =
                        reenter(owner, key, entry).or(() -> acquireOne(key, rest(request, startedAt), owner, ifBusy));
                if (one.isEmpty()) {
                    return Optional.empty();
                }
                acquired.add(one.get());
            }
            Optional<LockHandle> all = Optional.of(new CompositeHandle(acquired));
            all.get().ensureHeld();
            acquired.forEach(part -> part.hold.lock.keepFor(part, request)); // a failure leaves nothing on outer holds
            held = true;
            return all;
        } finally {
            if (!held) {
                BlockingWait.awaitUninterruptibly(CompositeHandle.giveBack(acquired));
            }
        }
    }

    private ResolvedRequest rest(ResolvedRequest request, long startedAt) {
        Duration left = request.maxWait().minusNanos(running.clock.nanos() - startedAt);
        return request.maxWait(left.isNegative() ? Duration.ZERO : left);
    }

    private Optional<Handle> acquireOne(String key, ResolvedRequest request, HoldOwner owner, IfBusy ifBusy) {
        if (Thread.currentThread().isInterrupted()) {
            throw Messages.interrupted(key, new InterruptedException());
        }
        if (LockThreads.isNonBlocking()) {
            throw Messages.mustNotBlock(key);
        }
        Waiter waiter = new Waiter(running.keyLock(key), request, owner, running.clock.nanos());
        try {
            running.join(waiter);
            Optional<Handle> granted = granted(waiter, await(waiter), ifBusy);
            if (granted.isPresent()) {
                Hold hold = granted.get().hold;
                take(waiter, granted.get(), Settlement.await(hold, Settlement.of(hold, waiter)));
            }
            return granted; // after take() nothing may fail
        } catch (RuntimeException | Error e) {
            cancel(waiter);
            throw e;
        }
    }

    /** No effect on a hold that was taken or given back. If it fails, so does the key. */
    private void cancel(Waiter waiter) {
        try {
            running.run(waiter.lock, (todo, now) -> waiter.lock.cancelCall(todo, waiter, now));
        } catch (RuntimeException | Error e) {
            waiter.lock.fail(e);
        }
    }

    /** The first call after a loss throws; then the thread has no hold. */
    private Optional<Handle> reenter(HoldOwner owner, String key, ResolvedRequest request) {
        Hold outer = owner.isThread() ? running.enteredBy(owner, key) : null;
        if (outer == null) {
            return Optional.empty();
        }
        return Handle.enter(outer, owner.thread(), Settlement.await(outer), request);
    }

    private WaitOutcome await(Waiter waiter) {
        try {
            while (waiter.waits() && !waiter.outcome.isDone() && !waiter.isPast(running.clock.nanos())) {
                BlockingWait.await(waiter.outcome, Duration.ofNanos(waiter.giveUpAt() - running.clock.nanos()));
            }
            if (waiter.waits() && !waiter.outcome.isDone()) {
                running.run(waiter.lock, (todo, now) -> waiter.lock.waitIsOver(todo, waiter, now));
            }
            return BlockingWait.await(waiter.outcome);
        } catch (InterruptedException e) {
            cancel(waiter);
            report(waiter, Refusal.INTERRUPTED);
            Thread.currentThread().interrupt();
            throw Messages.interrupted(waiter.lock.key, e);
        }
    }

    /** Not {@link #take taken} yet: listeners receive the grant before its owner. */
    private Optional<Handle> granted(Waiter waiter, WaitOutcome outcome, IfBusy ifBusy) {
        if (outcome instanceof WaitOutcome.Granted granted) {
            return Optional.of(announce(waiter, granted.hold()));
        }
        if (outcome instanceof WaitOutcome.Busy busy) {
            report(waiter, Refusal.CONTENDED);
            if (waiter.attaches()) {
                throw Messages.notAttached(waiter, busy.obstacle());
            }
            if (ifBusy == IfBusy.RETURN_EMPTY) {
                return Optional.empty();
            }
            throw Messages.notAcquired(waiter, busy.obstacle());
        }
        if (outcome instanceof WaitOutcome.Recovering recovering) {
            report(waiter, Refusal.RECOVERING);
            throw Messages.recovering(waiter, recovering.answer());
        }
        if (outcome instanceof WaitOutcome.Failed failure) {
            report(waiter, failure.isOfShutdown() ? Refusal.INTERRUPTED : Refusal.ERROR);
            throw Messages.failed(waiter.lock.key, failure);
        }
        report(waiter, Refusal.INTERRUPTED);
        throw new CancellationException(
                "The wait for lock '" + LockRequest.printable(waiter.lock.key) + "' was cancelled");
    }

    private Handle announce(Waiter waiter, Hold hold) {
        Handle handle = new Handle(hold, waiter.owner.thread());
        boolean first = hold.lock.announce(waiter, handle);
        if (running.events.hasListeners()) {
            if (first) {
                reportGrant(waiter, hold);
            } else {
                reportJoin(waiter, hold);
            }
        }
        return handle;
    }

    /** Throws if the hold is already lost or in doubt. */
    private void take(Waiter waiter, Handle handle, boolean held) {
        Hold hold = handle.hold;
        if (!held) {
            throw Messages.lost(hold, running.now().nanos());
        }
        if (hold.grant.canBeInDoubt() && !hold.grant.isCertain()) {
            throw Messages.unconfirmed(hold);
        }
        if (!hold.lock.take(waiter, handle)) {
            throw new IllegalStateException("The engine released the granted lock; this is a bug in the lock engine");
        }
    }

    private void reportGrant(Waiter waiter, Hold hold) {
        Path path = path(waiter, hold);
        if (path == Path.TAKEN_OVER && !waiter.hadToWait) { // its first attempt took over from another owner
            running.events.publish(new LockEvent.Contended(hold.request.name(), hold.lock.key));
        }
        running.events.publish(new LockEvent.Acquired(
                hold.request.name(),
                hold.lock.key,
                hold.fencingToken,
                waiter.waited(running.now().nanos()),
                waiter.attempts,
                path,
                hold.handedOver ? Optional.empty() : hold.grant.takenOverFrom));
    }

    private void reportJoin(Waiter reader, Hold hold) {
        running.events.publish(new LockEvent.Joined(
                reader.request.name(),
                hold.lock.key,
                hold.fencingToken,
                reader.waited(running.now().nanos()),
                reader.hadToWait));
    }

    private static Path path(Waiter waiter, Hold hold) {
        if (hold.handedOver && waiter.hadToWait) {
            return Path.HANDED_OVER;
        }
        if (!hold.handedOver && hold.grant.takenOverFrom.isPresent()) {
            return Path.TAKEN_OVER;
        }
        return waiter.hadToWait ? Path.WAITED : Path.UNCONTENDED;
    }

    private void report(Waiter waiter, Refusal refusal) {
        running.events.publish(new LockEvent.NotAcquired(
                waiter.request.name(),
                waiter.lock.key,
                waiter.waited(running.now().nanos()),
                refusal,
                waiter.hadToWait));
    }

    /**
     * Blocks no thread; the handle is the owner. A result that the application completes ends the wait. Several keys as
     * in {@link #acquireAll}.
     */
    void acquireAsync(List<String> keys, ResolvedRequest request, CompletableFuture<LockHandle> result) {
        StackReserve.ensure();
        if (keys.size() == 1) {
            acquireAsync(keys.get(0), request, result);
            return;
        }
        long startedAt = running.clock.nanos();
        List<Handle> acquired = new ArrayList<>(keys.size());
        CompletableFuture<Void> all = CompletableFuture.completedFuture(null);
        for (String key : keys) {
            all = all.thenCompose(any -> acquireUnlessDone(key, rest(request, startedAt), result))
                    .thenAccept(acquired::add);
        }
        all.thenCompose(any -> running.events.completedForCallers(new CompositeHandle(acquired).beginEnsureHeld()))
                .whenComplete((any, failure) -> {
                    if (failure != null || !result.complete(new CompositeHandle(acquired))) { // cancelled
                        CompositeHandle.giveBack(acquired);
                    }
                    if (failure != null) { // last: dependent stages may block and acquire one of the keys
                        result.completeExceptionally(Objects.requireNonNullElse(failure.getCause(), failure));
                    }
                });
    }

    private CompletableFuture<Handle> acquireUnlessDone(
            String key, ResolvedRequest request, CompletableFuture<LockHandle> result) {
        CompletableFuture<Handle> one = new CompletableFuture<>();
        result.whenComplete((all, failure) -> one.cancel(false));
        if (!one.isDone()) {
            acquireAsync(key, request, one);
        }
        return one;
    }

    void acquireAsync(String key, ResolvedRequest request, CompletableFuture<? super Handle> result) {
        Waiter waiter = new Waiter(running.keyLock(key), request, HoldOwner.HANDLE, running.clock.nanos());
        Delivery delivery = new Delivery(waiter, result);
        try {
            running.join(waiter);
            if (waiter.waits() && !waiter.outcome.isDone()) {
                running.timer.schedule(delivery, waiter.giveUpAt());
            }
            result.whenComplete((handle, failure) -> {
                StackReserve.ensure(); // if it throws, the delivery releases a later grant
                running.run(waiter.lock, (todo, now) -> waiter.lock.cancelWait(todo, waiter));
            });
            waiter.outcome.thenAccept(delivery::begin); // last: the result may have its handle at once
        } catch (RuntimeException | Error e) {
            cancel(waiter);
            throw e;
        }
    }

    /**
     * Ends the wait of an asynchronous caller, and delivers its outcome. The timer repeats a failure. Its steps catch
     * their failures themselves, since a future that fails to complete with an exception drops it.
     */
    private final class Delivery extends TimerEntry {

        private final Waiter waiter;
        private final CompletableFuture<? super Handle> result;

        /** Of the delivery; to be delivered instead of a grant, which is given back. */
        private volatile @Nullable Throwable failure;

        Delivery(Waiter waiter, CompletableFuture<? super Handle> result) {
            this.waiter = waiter;
            this.result = result;
        }

        @Override
        public void fire() {
            try {
                Throwable failed = failure;
                if (failed == null) { // called by the timer
                    running.runInTick(waiter.lock, (todo, now) -> waiter.lock.waitIsOver(todo, waiter, now));
                } else {
                    cancel(waiter);
                    result.completeExceptionally(failed);
                }
            } catch (RuntimeException | Error e) {
                running.timer.schedule(this, running.beganAt);
                throw e;
            }
        }

        private void fail(Throwable cause) {
            failure = cause;
            fire();
        }

        void begin(WaitOutcome outcome) {
            try {
                running.timer.cancel(this);
                running.events.complete(() -> deliver(outcome));
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void deliver(WaitOutcome outcome) {
            try {
                Handle handle = granted(waiter, outcome, IfBusy.THROW).orElseThrow();
                CompletableFuture<Boolean> settled = Settlement.of(handle.hold, waiter);
                if (settled.isDone()) {
                    end(handle, settled.getNow(false));
                } else {
                    settled.thenAccept(held -> goOn(handle, held));
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        /** On a thread that may block. */
        private void goOn(Handle handle, boolean held) {
            try {
                running.events.complete(() -> end(handle, held));
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }

        private void end(Handle handle, boolean held) {
            try {
                take(waiter, handle, held);
                if (!result.complete(handle)) {
                    handle.giveBack();
                }
            } catch (RuntimeException | Error e) {
                fail(e);
            }
        }
    }
}
