package io.github.lockstarter.engine;

import io.github.lockstarter.LockHandle;

/** What a caller gets: a handle, or the reason why there is none. */
sealed interface Attained {

    /** The lock is held, or all of several are. */
    record Handle(LockHandle handle) implements Attained {}

    /** Somebody else had it for the whole wait. */
    record Nothing(Acquisition acquisition, Standing standing) implements Attained {}
}
