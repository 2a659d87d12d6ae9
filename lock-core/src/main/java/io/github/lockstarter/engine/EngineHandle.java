package io.github.lockstarter.engine;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
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

    /** The caller gives the handle back unused: unless the hold has another one, the release keeps nothing. */
    void keepNothing();
}
