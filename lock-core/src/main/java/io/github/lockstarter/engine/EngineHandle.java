package io.github.lockstarter.engine;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/** A handle of this engine: what the engine itself asks of it. */
interface EngineHandle extends LockHandle {

    /** One entry more into each of its holds, whatever the keys of the request; empty when one was released. */
    Optional<EngineHandle> enterAgain(LockRequest request);

    /** {@link #extend(LockRequest)} for each of its holds, whatever the keys of the request. */
    void extendOn(LockRequest terms);

    /** {@link #ensureHeld()}, completed or failed by whichever thread gets the answer, such as an event loop. */
    CompletableFuture<Void> ensureHeldAsync();

    /** {@link #release()}, completed by whichever thread gets the answer, such as an event loop. */
    CompletableFuture<ReleaseOutcome> beginRelease();

    /**
     * The caller gets the handle, and asked for this minimum time: the release of the lock keeps it for that long, or
     * longer if another handle of the same hold was given a longer time.
     */
    void keepFor(Duration atLeast);

    /** The caller does not take the handle, the only one of its hold: the release keeps nothing. */
    void keepNothing();
}
