package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import org.springframework.context.SmartLifecycle;

/**
 * Stops the engine after whatever uses locks (web server, schedulers and listeners have phases near
 * {@code Integer.MAX_VALUE}) and before the connection to the store that releases them (phases 0 and 1). Starts it
 * again with the context, such as a paused test context or a restored checkpoint.
 *
 * <p>The engine runs from its construction on, since initialisation callbacks may lock.
 */
record LockEngineLifecycle(LockEngine engine) implements SmartLifecycle {

    static final int PHASE = 1000;

    @Override
    public void start() {
        engine.start();
    }

    @Override
    public void stop() {
        engine.stop();
    }

    @Override
    public boolean isRunning() {
        return engine.isRunning();
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
