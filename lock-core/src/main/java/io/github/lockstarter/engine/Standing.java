package io.github.lockstarter.engine;

import io.github.lockstarter.LockOversight.StoredLock.Holder;
import io.github.lockstarter.spi.AcquireResult;
import java.time.Duration;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * What the last answer of the backend said about a lock that was not granted.
 *
 * @param obstacle why it was not granted
 * @param remaining how long that lasts at most; empty if it does not end by itself
 * @param ending how a wait ends that can last no longer; empty if another owner has the lock
 * @param holder tells who has the lock, as far as that is known
 */
record Standing(
        Obstacle obstacle, Optional<Duration> remaining, Optional<Outcome> ending, Optional<Supplier<String>> holder) {

    /** What stands between a caller and the lock, and ends some day. */
    Standing(Obstacle obstacle, Optional<Duration> remaining) {
        this(obstacle, remaining, Optional.empty(), Optional.empty());
    }

    /** Somebody of this instance has the lock. */
    static Standing heldHere(Hold holder, Duration remaining) {
        return new Standing(
                Obstacle.OWNER, Optional.of(remaining), Optional.empty(), Optional.of(() -> Messages.holder(holder)));
    }

    /** Somebody has the lock, perhaps of another instance, who may have told the backend who it is. */
    static Standing heldElsewhere(Optional<Holder> holder, Optional<Duration> remaining) {
        return new Standing(
                Obstacle.OWNER, remaining, Optional.empty(), holder.map(somebody -> () -> Messages.holder(somebody)));
    }

    /** The backend can grant nothing now. */
    static Standing unavailable(Outcome.Failed failure) {
        return new Standing(Obstacle.OUTAGE, Optional.empty(), Optional.of(failure), Optional.empty());
    }

    /** The backend may have forgotten who has the lock. */
    static Standing recovering(AcquireResult.Recovering answer) {
        return new Standing(
                Obstacle.RECOVERY,
                Optional.of(answer.retryAfter()),
                Optional.of(new Outcome.Recovering(answer)),
                Optional.empty());
    }

    /** How a wait ends that can last no longer. */
    Outcome outcome() {
        return ending.orElseGet(() -> new Outcome.Busy(this));
    }

    /** What is in the way. */
    enum Obstacle {
        /** Another owner. */
        OWNER,
        /** The backend may have forgotten locks and grants none for a while. */
        RECOVERY,
        /** The backend can grant nothing at the moment. */
        OUTAGE
    }
}
