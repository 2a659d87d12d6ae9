package io.github.lockstarter.engine;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** Ends holds: stops their renewal, then sends the release, then repeats it in the background if no answer comes. */
final class Releases {

    private final LockBackend backend;
    private final Holds holds;
    private final Losses losses;
    private final Events events;
    private final EngineClock clock;
    private final TimerWheel timer;

    Releases(Core core, Losses losses) {
        this.backend = core.backend();
        this.holds = core.holds();
        this.losses = losses;
        this.events = core.events();
        this.clock = core.clock();
        this.timer = core.timer();
    }

    /** One hold less; the release is sent with the last. */
    CompletableFuture<ReleaseOutcome> exit(Hold hold) {
        losses.isHeld(hold);
        return switch (hold.lifecycle.exit()) {
            case STILL_HELD -> CompletableFuture.completedFuture(ReleaseOutcome.STILL_HELD);
            case LOST_STILL_ENTERED -> CompletableFuture.completedFuture(ReleaseOutcome.LOST);
            case LOST -> {
                endLost(hold);
                yield hold.ended;
            }
            case SEND_RELEASE -> {
                stop(hold);
                send(hold);
                yield hold.ended;
            }
            case RELEASE_FOLLOWS -> {
                stop(hold);
                yield hold.ended;
            }
        };
    }

    private void stop(Hold hold) {
        timer.cancel(hold);
        holds.remove(hold);
    }

    /** Its owner has left a lost lock. If it is still there (its lease was over for us only), nobody has to wait for it. */
    private void endLost(Hold hold) {
        stop(hold);
        Results.of(() -> backend.release(hold.releaseCommand()), Results::unknownRelease);
        end(hold, ReleaseOutcome.LOST);
    }

    void send(Hold hold) {
        Results.of(() -> backend.release(hold.releaseCommand()), Results::unknownRelease)
                .thenAccept(result -> settle(hold, result));
    }

    private void settle(Hold hold, ReleaseResult result) {
        if (result instanceof ReleaseResult.Released) {
            hold.lifecycle.released();
            end(hold, ReleaseOutcome.RELEASED);
        } else if (result instanceof ReleaseResult.NotHeld) {
            hold.lifecycle.lostAtRelease(LossCause.OWNER_CHANGED);
            losses.signal(hold, LossCause.OWNER_CHANGED);
            end(hold, ReleaseOutcome.LOST);
        } else {
            hold.lifecycle.released();
            cleanUp(hold.releaseCommand(), hold.terms.lease());
            end(hold, ReleaseOutcome.UNKNOWN);
        }
    }

    private void end(Hold hold, ReleaseOutcome outcome) {
        events.released(new LockEvent.Released(hold.terms.name(), hold.key, hold.fencingToken, hold.held(), outcome));
        hold.ended.complete(outcome);
    }

    /** Releases in the background what may have been granted, until an answer comes or the lease must be over. */
    void cleanUp(ReleaseCommand command, Duration lease) {
        new Cleanup(command, clock.nanos() + lease.toNanos()).attempt();
    }

    /** One command that is repeated with growing delay. {@link #delay} is touched by one attempt at a time. */
    private final class Cleanup extends TimerEntry {

        private static final long FIRST_DELAY = 50_000_000;
        private static final long LONGEST_DELAY = 1_000_000_000;

        private final ReleaseCommand command;
        private final long giveUpAt;
        private long delay = FIRST_DELAY;

        Cleanup(ReleaseCommand command, long giveUpAt) {
            this.command = command;
            this.giveUpAt = giveUpAt;
        }

        @Override
        void fire() {
            attempt();
        }

        void attempt() {
            Results.of(() -> backend.release(command), Results::unknownRelease).thenAccept(result -> {
                if (result instanceof ReleaseResult.Unknown && clock.nanos() - giveUpAt < 0) {
                    timer.schedule(this, clock.nanos() + delay);
                    delay = Math.min(delay * 2, LONGEST_DELAY);
                }
            });
        }
    }
}
