package io.github.lockstarter.engine.release;

import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.HoldHandle;
import io.github.lockstarter.engine.hold.HoldLifecycle;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.thread.StackReserve;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.EngineTimer;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends the holds that their owners leave: by a hand-over or by a release. With the last one of an owner, the lock is
 * handed over or released; a thread that has too little stack for that fails before it begins, and {@link
 * UnfinishedOperations} completes it.
 */
public final class LockReleaser {

    private final BackendCalls backend;
    private final Holds holds;
    private final EngineTimer timer;
    private final LossDetector lossDetector;
    private final ReleaseSender releases;
    private final HandOver handOver;

    public LockReleaser(EngineContext context, LossDetector lossDetector, ReleaseSender releases, HandOver handOver) {
        this.backend = context.backend();
        this.holds = context.holds();
        this.timer = context.timer();
        this.lossDetector = lossDetector;
        this.releases = releases;
        this.handOver = handOver;
    }

    /** The handle's entry less. */
    public CompletableFuture<ReleaseOutcome> leave(HoldHandle handle) {
        Hold hold = handle.hold;
        lossDetector.checkHeld(hold);
        if (hold.lifecycle.exitInner()) {
            handle.stage = HoldHandle.LEFT;
            return CompletableFuture.completedFuture(ReleaseOutcome.STILL_HELD);
        }
        StackReserve.ensure();
        return backend.during(() -> exit(hold, handle));
    }

    /** The only entry less, of a hold that no caller took. */
    public void exit(Hold hold) {
        backend.during(() -> exit(hold, null));
    }

    /** All entries less, of a hold that no code can leave. */
    void abandon(Hold hold) {
        backend.during(() -> {
            while (hold.lifecycle.exitInner()) {
                // one less
            }
            return exit(hold, null);
        });
    }

    /** The same, of a grant whose attempt is withdrawn: never handed over. */
    public void discard(Hold hold) {
        hold.grant.revoke();
        exit(hold);
    }

    private CompletableFuture<ReleaseOutcome> exit(Hold hold, @Nullable HoldHandle handle) {
        lossDetector.checkHeld(hold);
        Deadline deadline = hold.lifecycle.deadline(); // may move forward until the exit; the earlier one is safe
        HoldLifecycle.Exit exit = hold.lifecycle.exit();
        if (handle != null) {
            handle.stage = HoldHandle.LEFT;
        }
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
                boolean isPassedOn = false;
                try {
                    isPassedOn = handOver.pass(hold, deadline);
                } finally {
                    if (!isPassedOn) {
                        releases.release(hold);
                    }
                }
            }
            case LOST -> {
                releases.end(hold, ReleaseOutcome.LOST);
                releases.release(hold);
            }
            case LOST_RELEASE_FOLLOWS -> releases.end(hold, ReleaseOutcome.LOST);
            default -> {
                // The thread that writes the renewal releases.
            }
        }
        return hold.ended();
    }
}
