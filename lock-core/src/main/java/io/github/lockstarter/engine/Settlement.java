package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/**
 * The wait of an owner whose hold is in doubt, until it is certain or lost, or a command timeout is over. One thread
 * begins it, then the timer's thread asks the store again; answers come on any thread.
 */
final class Settlement extends TimerEntry {

    /** Between two questions. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    /** Completed with whether it is still held. */
    final CompletableFuture<Boolean> settled = new CompletableFuture<>();

    private final Hold hold;
    private final Running shared;
    private final long began;
    private volatile CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

    Settlement(Hold hold, long now) {
        this.hold = hold;
        this.shared = hold.lock.shared;
        this.began = now;
    }

    @Override
    public void fire() {
        // First: whatever fails here is tried again.
        shared.timer.schedule(this, shared.now().nanos() + PAUSE.toNanos());
        if (!endIfOver() && asked.isDone()) {
            asked = shared.askStore(hold);
            asked.thenRun(this::endIfOver);
        }
    }

    boolean endIfOver() {
        long limit = hold.grant.commandTimeout().toNanos();
        boolean isOver = settled.isDone()
                || !hold.lock.checkHeld(hold)
                || hold.grant.isCertain()
                || isLostAsUndecidable()
                || shared.now().nanos() - began >= limit;
        if (isOver) {
            shared.timer.cancel(this);
            settled.complete(hold.lock.checkHeld(hold));
        }
        return isOver;
    }

    /** The owner asks, and the answer has to be yes or no. The store keeps the lock until its owner leaves it. */
    private boolean isLostAsUndecidable() {
        if (!hold.grant.isUndecidable()) {
            return false;
        }
        shared.run(todo -> hold.lock.undecidable(todo, hold, shared.now()));
        return true;
    }
}
