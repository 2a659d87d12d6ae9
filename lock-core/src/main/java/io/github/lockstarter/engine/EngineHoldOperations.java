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
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeoutException;

/** Forwards the operations of handles to the parts of the engine. */
final class EngineHoldOperations extends HoldOperations {

    /** Between two questions of a caller whether a lock is still held, if the first one did not settle it. */
    private static final Duration PAUSE = Duration.ofMillis(50);

    private final EngineContext context;
    private final LossDetector lossDetector;
    private final Watchdog watchdog;
    private final LockReleaser releaser;

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
        long limit = hold.grant.certainty.commandTimeout().toNanos();
        long began = context.clock().nanos();
        CompletableFuture<?> asked = CompletableFuture.completedFuture(null);
        try {
            while (lossDetector.checkHeld(hold)
                    && !hold.isCertain()
                    && !isLostAsUndecidable(hold)
                    && context.clock().nanos() - began < limit) {
                if (asked.isDone()) {
                    asked = askStore(hold);
                }
                pause(hold, asked);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw HoldExceptions.interrupted(hold, e);
        }
        return lossDetector.checkHeld(hold);
    }

    /** Until there is an answer, and then before the next question; the answer to a regular beat may come first. */
    private static void pause(Hold hold, CompletableFuture<?> asked) throws InterruptedException {
        try {
            BlockingWait.await(asked, PAUSE);
            if (!hold.isCertain()) {
                BlockingWait.sleep(PAUSE);
            }
        } catch (TimeoutException e) {
            // It is still under way.
        }
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
