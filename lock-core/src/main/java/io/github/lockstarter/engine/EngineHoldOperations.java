package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldOperations;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.hold.ResolvedRequest;
import io.github.lockstarter.engine.release.LockReleaser;
import io.github.lockstarter.engine.renewal.Watchdog;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Forwards the operations of handles to the parts of the engine. */
final class EngineHoldOperations extends HoldOperations {

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
    public void checkLease(String key, Duration lease) {
        context.settings().checkExtension(key, lease);
    }

    @Override
    public Duration atLeast(LockRequest request) {
        return ResolvedRequest.of(request, context.settings()).atLeast();
    }

    @Override
    public boolean checkHeld(Hold hold) {
        return lossDetector.checkHeld(hold);
    }

    @Override
    public void reportLoss(Hold hold) {
        lossDetector.report(hold, hold.lossCause());
    }

    @Override
    public CompletableFuture<RenewResult> extend(Hold hold, Duration lease) {
        return watchdog.extend(hold, lease);
    }

    @Override
    public CompletableFuture<ReleaseOutcome> leave(HoldHandle handle) {
        return releaser.leave(handle);
    }

    @Override
    public EventDispatcher events() {
        return context.events();
    }
}
