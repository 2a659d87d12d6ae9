package io.github.lockstarter.engine;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldExceptions;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldOperations;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.release.LockReleaser;
import io.github.lockstarter.engine.renewal.Watchdog;
import io.github.lockstarter.engine.timer.TimerEntry;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;

/** Forwards the operations of handles to the parts of the engine. */
final class EngineHoldOperations extends HoldOperations {

    /** Between two questions whether a lock is still held, if the first one did not settle it. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final EngineContext context;
    private final LossDetector lossDetector;
    private final Watchdog watchdog;
    private final LockReleaser releaser;
    private final Queue<Settlement> unsettled = new ConcurrentLinkedQueue<>();

    EngineHoldOperations(EngineContext context, LossDetector lossDetector, Watchdog watchdog, LockReleaser releaser) {
        this.context = context;
        this.lossDetector = lossDetector;
        this.watchdog = watchdog;
        this.releaser = releaser;
    }

    @Override
    public void checkExtension(Hold hold, LockRequest terms) {
        context.settings().checkExtension(terms, hold.terms.lease());
    }

    @Override
    public ResolvedRequest resolve(LockRequest request) {
        return ResolvedRequest.of(request, context.settings());
    }

    @Override
    public boolean checkHeld(Hold hold) {
        return lossDetector.checkHeld(hold);
    }

    @Override
    public boolean settleDoubt(Hold hold) {
        if (!lossDetector.checkHeld(hold) || hold.isCertain()) {
            return hold.lifecycle.isHeld();
        }
        CompletableFuture<Boolean> settled = settle(hold);
        try {
            return BlockingWait.await(settled);
        } catch (InterruptedException e) {
            settled.cancel(false); // nobody asks any more
            Thread.currentThread().interrupt();
            throw HoldExceptions.interrupted(hold, e);
        }
    }

    @Override
    public CompletableFuture<Boolean> settle(Hold hold) {
        if (!lossDetector.checkHeld(hold) || hold.isCertain()) {
            return CompletableFuture.completedFuture(hold.lifecycle.isHeld());
        }
        Settlement settlement = new Settlement(hold);
        unsettled.add(settlement);
        settlement.settled.whenComplete((isHeld, failure) -> unsettled.remove(settlement));
        settlement.fire();
        return settlement.settled;
    }

    /** Ends the waits for an answer: the engine has ended, and all holds with it. */
    void close() {
        unsettled.forEach(Settlement::endIfOver);
    }

    /** Whether it answers this instance, and if that is not enough, whether the lock is still there. */
    private CompletableFuture<?> askStore(Hold hold) {
        return hold.grant
                .certainty
                .beat()
                .thenCompose(any -> hold.grant.certainty.isSettled()
                        ? CompletableFuture.completedFuture(null)
                        : watchdog.confirm(hold));
    }

    /**
     * A wait of the owner of a hold that is in doubt. One thread begins it, then the timer's thread asks; answers come
     * on any thread, and the one to a regular beat may be the first.
     */
    private final class Settlement extends TimerEntry {

        private final CompletableFuture<Boolean> settled = new CompletableFuture<>();
        private final Hold hold;
        private final long began = context.clock().nanos();
        private volatile CompletableFuture<?> asked = CompletableFuture.completedFuture(null);

        Settlement(Hold hold) {
            this.hold = hold;
        }

        @Override
        public void fire() {
            // First: whatever fails here is tried again.
            context.timer().schedule(this, context.clock().nanos() + PAUSE.toNanos());
            if (!endIfOver() && asked.isDone()) {
                asked = askStore(hold);
                asked.thenRun(this::endIfOver);
            }
        }

        private boolean endIfOver() {
            boolean isOver = settled.isDone()
                    || !lossDetector.checkHeld(hold)
                    || hold.isCertain()
                    || isLostAsUndecidable(hold)
                    || context.clock().nanos() - began
                            >= hold.grant.certainty.commandTimeout().toNanos();
            if (isOver) {
                context.timer().cancel(this);
                settled.complete(lossDetector.checkHeld(hold));
            }
            return isOver;
        }
    }

    /** The owner asks, and the answer has to be yes or no. The store keeps the lock until its owner leaves it. */
    private boolean isLostAsUndecidable(Hold hold) {
        return hold.grant.certainty.isUndecidable() && lossDetector.lose(hold, LossCause.HISTORY_CHANGED);
    }

    @Override
    public void reportLoss(Hold hold) {
        lossDetector.report(hold, hold.lossCause());
    }

    @Override
    public CompletableFuture<RenewResult> extend(Hold hold, LockRequest terms) {
        return watchdog.extend(hold, terms);
    }

    @Override
    public CompletableFuture<ReleaseOutcome> leave(HoldHandle handle) {
        return releaser.leave(handle);
    }

    @Override
    public HeldLocks heldLocks() {
        return context.heldLocks();
    }

    @Override
    public EventDispatcher events() {
        return context.events();
    }
}
