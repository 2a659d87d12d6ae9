package io.github.lockstarter.engine;

import io.github.lockstarter.ReleaseOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.function.BiPredicate;

/** Where owners leave their holds. With the last one of an owner, the lock is handed over or released. */
final class Exits {

    private final BackendCalls backend;
    private final Holds holds;
    private final TimerWheel timer;
    private final Losses losses;
    private final Releases releases;
    private final HandOver handOver;

    Exits(Core core, Losses losses, Releases releases, HandOver handOver) {
        this.backend = core.backend();
        this.holds = core.holds();
        this.timer = core.timer();
        this.losses = losses;
        this.releases = releases;
        this.handOver = handOver;
    }

    /** One hold less. */
    CompletableFuture<ReleaseOutcome> exit(Hold hold) {
        return backend.during(() -> exit(hold, handOver::pass));
    }

    /** The only one less, of a grant that nobody took and whose attempt is withdrawn: never handed over. */
    void discard(Hold hold) {
        backend.during(() -> exit(hold, (leaving, deadline) -> false));
    }

    private CompletableFuture<ReleaseOutcome> exit(Hold hold, BiPredicate<Hold, Deadline> passedOn) {
        losses.isHeld(hold);
        Deadline deadline = hold.lifecycle.deadline(); // may move forward until the exit; the earlier one is safe
        Lifecycle.Exit exit = hold.lifecycle.exit();
        switch (exit) {
            case STILL_HELD -> {
                return CompletableFuture.completedFuture(ReleaseOutcome.STILL_HELD);
            }
            case LOST_STILL_ENTERED -> {
                return CompletableFuture.completedFuture(ReleaseOutcome.LOST);
            }
            default -> {
                timer.cancel(hold);
                holds.leave(hold);
            }
        }
        switch (exit) {
            case SEND_RELEASE -> {
                if (!passedOn.test(hold, deadline)) {
                    releases.release(hold);
                }
            }
            case LOST -> {
                releases.end(hold, ReleaseOutcome.LOST);
                releases.release(hold);
            }
            case LOST_RELEASE_FOLLOWS -> releases.end(hold, ReleaseOutcome.LOST);
            default -> {
                // Whoever writes the renewal releases.
            }
        }
        return hold.ended();
    }
}
