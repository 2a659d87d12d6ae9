package io.github.lockstarter.autoconfigure;

import org.springframework.context.SmartLifecycle;

/**
 * Has a store checked when the context starts, before the engine starts, and stopped after the engine has released its
 * locks. For the modules with a store. Locks that are taken earlier, by initialisation callbacks, find the store
 * unchecked.
 *
 * <p>Called by the one thread that starts or stops the context; any thread may ask whether it runs.
 */
public abstract class StoreLifecycle implements SmartLifecycle {

    /** Below the engine's, so that it starts first and stops last. */
    private static final int PHASE = 1;

    private volatile boolean running;

    /** Not running yet. */
    protected StoreLifecycle() {}

    /**
     * Connects the store, as far as it does not connect by itself, and checks that it can keep locks.
     *
     * @throws RuntimeException fails the start of the context
     */
    protected abstract void onStart();

    /** Disconnects the store. Does nothing by default, where the bean's destruction does that. */
    protected void onStop() {}

    @Override
    public final void start() {
        onStart();
        running = true;
    }

    @Override
    public final void stop() {
        onStop();
        running = false;
    }

    @Override
    public final boolean isRunning() {
        return running;
    }

    @Override
    public final int getPhase() {
        return PHASE;
    }
}
