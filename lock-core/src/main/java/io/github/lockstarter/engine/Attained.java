package io.github.lockstarter.engine;

/** What a caller gets: a handle, or the reason why there is none. */
sealed interface Attained {

    /** The lock is held, or all of several are. */
    record Handle(EngineHandle handle) implements Attained {}

    /** Somebody else had it for the whole wait. */
    record Nothing(Acquisition acquisition, Obstacle obstacle) implements Attained {}
}
