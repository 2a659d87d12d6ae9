package io.github.lockstarter.engine;

import io.github.lockstarter.engine.hold.EngineHandle;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.queue.Obstacle;

/** What a caller gets: a handle, or the reason why there is none. */
sealed interface CallOutcome {

    /** The lock is held, or all of several are. */
    record Acquired(EngineHandle handle) implements CallOutcome {}

    /** Somebody else had it for the whole wait. */
    record NotAcquired(Acquisition acquisition, Obstacle obstacle) implements CallOutcome {}
}
