package io.github.lockstarter.engine;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * The wait of an owner whose hold is in doubt, until it is certain or lost, or a command timeout is over. One thread
 * begins it, then the timer's thread asks the store again; answers come on any thread.
 */
final class Settlement extends TimerEntry {

    /** Between two questions. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final CompletableFuture<Boolean> settled = new CompletableFuture<>();
    private final Hold hold;
    private final Running shared;
    private final long began;
    private volatile CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

    private Settlement(Hold hold) {
        this.hold = hold;
        this.shared = hold.lock.shared;
        this.began = shared.clock.nanos();
    }

    /** Completed with whether it is held. The store is asked where that is in doubt. */
    static CompletableFuture<Boolean> of(Hold hold) {
        boolean isHeld = hold.lock.checkHeld(hold);
        if (!isHeld || hold.grant.isCertain()) {
            return CompletableFuture.completedFuture(isHeld);
        }
        Settlement begun = new Settlement(hold);
        begun.shared.unsettled.add(begun);
        begun.fire();
        return begun.settled;
    }

    /** The same, and blocks. */
    static boolean await(Hold hold) {
        CompletableFuture<Boolean> settled = of(hold);
        try {
            return BlockingWait.await(settled);
        } catch (InterruptedException e) {
            settled.cancel(false); // its caller has left
            Thread.currentThread().interrupt();
            throw Messages.interrupted(hold, e);
        }
    }

    @Override
    public void fire() {
        // First: whatever fails here is tried again.
        shared.timer.schedule(this, shared.now().nanos() + PAUSE.toNanos());
        if (!endIfOver() && asked.isDone()) {
            asked = askStore();
            asked.thenRun(this::endIfOver);
        }
    }

    /** Whether it answers this instance, and if that is not enough, whether the lock is still there. */
    private CompletableFuture<?> askStore() {
        return hold.grant
                .beat()
                .thenCompose(any -> hold.grant.isSettled()
                        ? CompletableFuture.completedFuture(null)
                        : shared.ask(hold, Optional.empty()));
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
            shared.unsettled.remove(this);
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
