package io.github.lockstarter.engine.release;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.backend.PendingReleases;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.queue.Backoff;
import io.github.lockstarter.engine.queue.Obstacle;
import io.github.lockstarter.engine.queue.Waiters;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Gives up at the backend what was held: sends the release, has it repeated in the background if no answer comes, and
 * notifies the waiters of this instance. Called from any thread; {@link #awaited} is the one thing that changes.
 */
public final class ReleaseSender {

    /** A wait for the answer to the release of what a token had. */
    public record Awaited(LockToken token, CompletableFuture<ReleaseResult> answer) {}

    private final Set<Awaited> awaited = ConcurrentHashMap.newKeySet();

    private final BackendCalls backend;
    private final Holds holds;
    private final LossDetector lossDetector;
    private final PendingReleases pendingReleases;
    private final EventDispatcher events;
    private final Waiters waiters;
    private final Duration patience;

    public ReleaseSender(
            EngineContext context, LossDetector lossDetector, PendingReleases pendingReleases, Waiters waiters) {
        this.backend = context.backend();
        this.holds = context.holds();
        this.events = context.events();
        this.lossDetector = lossDetector;
        this.pendingReleases = pendingReleases;
        this.waiters = waiters;
        this.patience = Backoff.patience(context.settings().maxRetryDelay());
    }

    /**
     * Releases what its owner has left. What is lost too: if it is still there, since its lease was over for us only,
     * no owner has to wait for it. Where another instance waits, waiters of this one queue up behind it; where the lock
     * may be kept, they wait for the answer; otherwise they follow on the heels of the release.
     */
    public void release(Hold hold) {
        if (hold.lifecycle.holds() == 0) {
            holds.remove(hold);
        } else {
            holds.lost(hold); // taken away: its owner has yet to learn of it
        }
        if ((hold.grant.isWanted() || hold.isKept()) && waiters.queues().has(hold.key)) {
            releaseToOthers(hold);
            return;
        }
        backend.release(hold.releaseCommand(Optional.empty()), result -> {
            settle(hold, result);
            if (signalledAnother(result)) {
                waiters.wanted(hold.key);
            }
        });
        waiters.freed(hold.key);
    }

    private void releaseToOthers(Hold hold) {
        backend.release(hold.releaseCommand(Optional.of(patience)), result -> {
            settle(hold, result);
            if (result instanceof ReleaseResult.Kept kept) {
                waiters.requeued(hold.key, Obstacle.kept(Optional.of(kept.rest())));
            } else if (signalledAnother(result)) {
                waiters.requeued(hold.key, Obstacle.heldElsewhere(Optional.empty(), Optional.of(hold.terms.lease())));
            } else if (result instanceof ReleaseResult.Unknown) {
                waiters.requeuedUnknown(hold.key);
            } else {
                waiters.freed(hold.key);
            }
        });
    }

    private static boolean signalledAnother(ReleaseResult result) {
        return result instanceof ReleaseResult.Released released && released.signalled() > 0;
    }

    /**
     * What the next release of the hold's lock token comes to. To be followed by {@link #release} or {@link #forget}.
     */
    public Awaited answerFor(Hold hold) {
        Awaited waiting = new Awaited(hold.grant.token, new CompletableFuture<>());
        awaited.add(waiting);
        return waiting;
    }

    /** Ends the wait. */
    public void forget(Awaited waiting) {
        awaited.remove(waiting);
    }

    private void completeAwaited(Hold hold, ReleaseResult result) {
        if (!awaited.isEmpty()) {
            awaited.stream()
                    .filter(waiting -> waiting.token.equals(hold.grant.token))
                    .toList()
                    .forEach(waiting -> {
                        awaited.remove(waiting);
                        waiting.answer.complete(result);
                    });
        }
    }

    private void settle(Hold hold, ReleaseResult result) {
        if (result instanceof ReleaseResult.Unknown) {
            pendingReleases.add(hold.releaseCommand(Optional.empty()), hold.longestLease);
        }
        if (result instanceof ReleaseResult.NotHeld) {
            settleLoss(hold);
        } else if (hold.lifecycle.released()) {
            end(hold, isReleased(hold, result) ? ReleaseOutcome.RELEASED : ReleaseOutcome.UNKNOWN);
        }
        completeAwaited(hold, result); // last: what hangs on it is not ours
    }

    /** A lock that was found free counts as released by its owner if no take-over is possible until now. */
    private boolean isReleased(Hold hold, ReleaseResult result) {
        return result instanceof ReleaseResult.Released
                || result instanceof ReleaseResult.Kept
                || (result instanceof ReleaseResult.FoundFree && hold.isCertainlyNotTakenOver());
    }

    private void settleLoss(Hold hold) {
        LossCause cause = hold.causeOfRefusal();
        if (hold.lifecycle.lostAtRelease(cause)) {
            lossDetector.report(hold, cause);
            end(hold, ReleaseOutcome.LOST);
        }
    }

    /** A hold whose owner has left it, and which turned out not to be ours any more: there is nothing to release. */
    void foundLost(Hold hold) {
        holds.remove(hold);
        settleLoss(hold);
        waiters.freed(hold.key);
    }

    /** The lock has gone to a waiter of this instance. */
    void handedOver(Hold hold) {
        holds.remove(hold);
        if (hold.lifecycle.released()) {
            end(hold, ReleaseOutcome.RELEASED);
        }
    }

    /** Reports the end to the listeners and to the owner. */
    void end(Hold hold, ReleaseOutcome outcome) {
        try {
            if (hold.announced && events.hasListeners()) {
                events.publish(
                        new LockEvent.Released(hold.terms.name(), hold.key, hold.fencingToken, hold.held(), outcome));
            }
        } finally {
            hold.ended().complete(outcome);
        }
    }
}
