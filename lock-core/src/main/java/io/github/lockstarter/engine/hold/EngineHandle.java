package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.ReleaseOutcome;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** A handle of this engine: can also be released without waiting for the answer. */
public interface EngineHandle extends LockHandle {

    /** {@link #release()} without waiting for the answer. */
    CompletableFuture<ReleaseOutcome> releaseAsync();

    /**
     * The caller gets the handle, and asked for this minimum time: the release of the lock keeps it for that long, or
     * longer if another handle of the same hold was given a longer time.
     */
    void keepFor(Duration atLeast);

    /** The caller does not take the handle, the only one of its hold: the release keeps nothing. */
    void keepNothing();
}
