package io.github.lockstarter.engine;

import java.time.Duration;
import java.util.Optional;

/**
 * What the last answer of the backend said about a lock that was not granted.
 *
 * @param obstacle why it was not granted
 * @param remaining how long that lasts at most; empty if it does not end by itself
 */
record Standing(Obstacle obstacle, Optional<Duration> remaining) {

    /** What is in the way. */
    enum Obstacle {
        /** Another owner. */
        OWNER,
        /** The backend may have forgotten locks and grants none for a while. */
        RECOVERY
    }
}
