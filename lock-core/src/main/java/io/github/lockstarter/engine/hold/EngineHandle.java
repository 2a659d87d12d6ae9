package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.ReleaseOutcome;
import java.util.concurrent.CompletableFuture;

/** A handle of this engine: can also be released without waiting for the answer. */
public interface EngineHandle extends LockHandle {

    /** {@link #release()} without waiting for the answer. */
    CompletableFuture<ReleaseOutcome> releaseAsync();
}
