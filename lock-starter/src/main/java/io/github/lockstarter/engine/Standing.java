package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.Optional;

/**
 * What the last answer of the backend said about a lock that was not granted.
 *
 * @param obstacle why it was not granted
 * @param remaining how long that lasts at most; empty if it does not end by itself
 * @param failure what whoever cannot wait any longer is told, if that is a failure
 * @param holder who has the lock, if it is somebody of this instance
 */
record Standing(
        Obstacle obstacle, Optional<Duration> remaining, Optional<Outcome.Failed> failure, Optional<Hold> holder) {

    /** What stands between a caller and the lock, and ends some day. */
    Standing(Obstacle obstacle, Optional<Duration> remaining) {
        this(obstacle, remaining, Optional.empty(), Optional.empty());
    }

    /** Somebody of this instance has the lock. */
    static Standing heldHere(Hold holder, Duration remaining) {
        return new Standing(Obstacle.OWNER, Optional.of(remaining), Optional.empty(), Optional.of(holder));
    }

    /** The backend can grant nothing now. */
    static Standing unavailable(Outcome.Failed failure) {
        return new Standing(Obstacle.OUTAGE, Optional.empty(), Optional.of(failure), Optional.empty());
    }

    /** How a wait ends that can last no longer. */
    Outcome outcome() {
        return failure.<Outcome>map(failed -> failed).orElseGet(() -> new Outcome.Busy(this));
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
