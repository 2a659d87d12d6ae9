package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.ReleaseResult;
import java.util.concurrent.CompletableFuture;

/** Ends holds: stops their renewal, then sends the release, then has it repeated in the background if no answer comes. */
final class Releases {

    private final BackendCalls backend;
    private final Holds holds;
    private final Losses losses;
    private final Cleanups cleanups;
    private final Events events;
    private final TimerWheel timer;

    Releases(Core core, Losses losses, Cleanups cleanups) {
        this.backend = core.backend();
        this.holds = core.holds();
        this.events = core.events();
        this.timer = core.timer();
        this.losses = losses;
        this.cleanups = cleanups;
    }

    /** One hold less; the release is sent with the last. */
    CompletableFuture<ReleaseOutcome> exit(Hold hold) {
        return backend.during(() -> exitNow(hold));
    }

    private CompletableFuture<ReleaseOutcome> exitNow(Hold hold) {
        losses.isHeld(hold);
        return switch (hold.lifecycle.exit()) {
            case STILL_HELD -> CompletableFuture.completedFuture(ReleaseOutcome.STILL_HELD);
            case LOST_STILL_ENTERED -> CompletableFuture.completedFuture(ReleaseOutcome.LOST);
            case SEND_RELEASE -> {
                stop(hold);
                send(hold);
                yield hold.ended;
            }
            case RELEASE_FOLLOWS -> {
                stop(hold);
                yield hold.ended;
            }
            case LOST -> {
                stop(hold);
                end(hold, ReleaseOutcome.LOST);
                send(hold);
                yield hold.ended;
            }
            case LOST_RELEASE_FOLLOWS -> {
                stop(hold);
                end(hold, ReleaseOutcome.LOST);
                yield hold.ended;
            }
        };
    }

    private void stop(Hold hold) {
        timer.cancel(hold);
        holds.remove(hold);
    }

    /**
     * Sends the release of a hold that its owner has left. Of a lost one too: if it is still there, since its lease was over
     * for us only, nobody has to wait for it.
     */
    void send(Hold hold) {
        backend.release(hold.releaseCommand(), result -> settle(hold, result));
    }

    private void settle(Hold hold, ReleaseResult result) {
        if (result instanceof ReleaseResult.Unknown) {
            cleanups.add(hold.releaseCommand(), hold.longestLease);
        }
        if (result instanceof ReleaseResult.NotHeld) {
            if (hold.lifecycle.lostAtRelease(LossCause.OWNER_CHANGED)) {
                losses.report(hold, LossCause.OWNER_CHANGED);
                end(hold, ReleaseOutcome.LOST);
            }
        } else if (hold.lifecycle.released()) {
            boolean answered = result instanceof ReleaseResult.Released;
            end(hold, answered ? ReleaseOutcome.RELEASED : ReleaseOutcome.UNKNOWN);
        }
    }

    private void end(Hold hold, ReleaseOutcome outcome) {
        if (hold.announced) {
            events.released(
                    new LockEvent.Released(hold.terms.name(), hold.key, hold.fencingToken, hold.held(), outcome));
        }
        hold.ended.complete(outcome);
    }
}
