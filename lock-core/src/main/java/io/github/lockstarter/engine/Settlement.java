package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Wait of an owner in doubt until the hold is certain or lost, or its time is over. Its thread asks the store first,
 * then the timer's; answers arrive on any thread.
 */
final class Settlement extends TimerEntry implements Runnable {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final CompletableFuture<Boolean> settled = new CompletableFuture<>();
    private final Hold hold;
    private final Running running;
    private final long end;
    private volatile CompletableFuture<?> query = CompletableFuture.completedFuture(null);

    private Settlement(Hold hold, long end) {
        this.hold = hold;
        this.running = hold.lock.running;
        this.end = end;
    }

    /** Asks the store if the hold is in doubt, for a command timeout at most. */
    static CompletableFuture<Boolean> of(Hold hold) {
        return until(
                hold,
                hold.lock.running.clock.nanos() + hold.grant.commandTimeout().toNanos());
    }

    /**
     * The same for a caller that was granted the hold: its attempt and this take no longer than the rest of its wait or
     * one command timeout.
     */
    static CompletableFuture<Boolean> of(Hold hold, Waiter waiter) {
        long now = hold.lock.running.clock.nanos();
        long timeout = hold.grant.commandTimeout().toNanos();
        long ofAttempt = Math.max(hold.grant.requestedAt, waiter.startedAt) + timeout - now; // it may have joined late
        return until(hold, now + Math.min(timeout, Math.max(ofAttempt, waiter.giveUpAt() - now)));
    }

    private static CompletableFuture<Boolean> until(Hold hold, long end) {
        boolean held = hold.lock.checkHeld(hold);
        if (!held || hold.grant.isCertain()) {
            return CompletableFuture.completedFuture(held);
        }
        Settlement begun = new Settlement(hold, end);
        begun.running.unsettled.add(begun);
        begun.fire();
        return begun.settled;
    }

    static boolean await(Hold hold) {
        return await(hold, of(hold));
    }

    static boolean await(Hold hold, CompletableFuture<Boolean> settled) {
        try {
            return BlockingWait.await(settled);
        } catch (InterruptedException e) {
            settled.cancel(false); // the caller leaves
            Thread.currentThread().interrupt();
            throw Messages.interrupted(hold, e);
        }
    }

    @Override
    public void fire() {
        // First, so that a failure below is retried.
        running.timer.schedule(this, running.now().nanos() + PAUSE.toNanos());
        if (!endIfOver() && query.isDone()) {
            query = queryStore();
            query.thenRun(this::endIfOver);
        }
    }

    private CompletableFuture<?> queryStore() {
        return hold.grant
                .beat()
                .thenCompose(any -> hold.grant.isSettled()
                        ? CompletableFuture.completedFuture(null)
                        : running.renewForOwner(hold, Optional.empty()));
    }

    @Override
    public void run() {
        endIfOver();
    }

    private boolean endIfOver() {
        boolean over = settled.isDone()
                || !hold.lock.checkHeld(hold)
                || hold.grant.isCertain()
                || isLostAsVoid()
                || running.now().nanos() - end >= 0;
        if (over) {
            settled.complete(hold.lock.checkHeld(hold)); // first, so that a failure is retried
            running.timer.cancel(this);
            running.unsettled.remove(this);
        }
        return over;
    }

    /** Ends a hold that is void, so can never be confirmed. The store keeps the lock until its owner releases. */
    private boolean isLostAsVoid() {
        if (!hold.grant.isVoid()) {
            return false;
        }
        running.run(hold.lock, (todo, now) -> hold.lock.held().lose(todo, hold, LossCause.HISTORY_CHANGED, now));
        return true;
    }
}
