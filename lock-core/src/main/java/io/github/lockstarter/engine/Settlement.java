package io.github.lockstarter.engine;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * Wait of an owner in doubt until the hold is certain or lost, or a command timeout is over. Its thread asks the store
 * first, then the timer's; answers arrive on any thread.
 */
final class Settlement extends TimerEntry {

    private static final Duration PAUSE = Duration.ofMillis(50);

    private final CompletableFuture<Boolean> settled = new CompletableFuture<>();
    private final Hold hold;
    private final Running running;
    private final long began;
    private volatile CompletableFuture<?> query = CompletableFuture.completedFuture(null);

    private Settlement(Hold hold) {
        this.hold = hold;
        this.running = hold.lock.running;
        this.began = running.clock.nanos();
    }

    /** Asks the store if the hold is in doubt. */
    static CompletableFuture<Boolean> of(Hold hold) {
        boolean isHeld = hold.lock.checkHeld(hold);
        if (!isHeld || hold.grant.isCertain()) {
            return CompletableFuture.completedFuture(isHeld);
        }
        Settlement begun = new Settlement(hold);
        begun.running.unsettled.add(begun);
        begun.fire();
        return begun.settled;
    }

    static boolean await(Hold hold) {
        CompletableFuture<Boolean> settled = of(hold);
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

    boolean endIfOver() {
        long limit = hold.grant.commandTimeout().toNanos();
        boolean isOver = settled.isDone()
                || !hold.lock.checkHeld(hold)
                || hold.grant.isCertain()
                || isLostAsUndecidable()
                || running.now().nanos() - began >= limit;
        if (isOver) {
            settled.complete(hold.lock.checkHeld(hold)); // first, so that a failure is retried
            running.timer.cancel(this);
            running.unsettled.remove(this);
        }
        return isOver;
    }

    /** Ends a hold that can never be confirmed. The store keeps the lock until its owner releases. */
    private boolean isLostAsUndecidable() {
        if (!hold.grant.isUndecidable()) {
            return false;
        }
        running.run(hold.lock, (todo, now) -> hold.lock.undecidable(todo, hold, now));
        return true;
    }
}
