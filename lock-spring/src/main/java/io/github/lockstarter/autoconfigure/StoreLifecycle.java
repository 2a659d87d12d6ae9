package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Checks a store before the engine starts, and disconnects it after the engine has drained. While this instance holds
 * locks, the store stays connected until its bean is destroyed, because a disconnected holder looks crashed to other
 * instances. Called by one thread at a time; {@link #isRunning} by any thread.
 */
public abstract class StoreLifecycle implements SmartLifecycle, BeanFactoryAware {

    /** Below the engine's: starts first and stops last. */
    private static final int PHASE = 1;

    private volatile boolean running;
    private @Nullable ListableBeanFactory beans;

    /** Creates a stopped lifecycle. */
    protected StoreLifecycle() {}

    /**
     * Connects and checks the store.
     *
     * @throws RuntimeException to fail the start of the context
     */
    protected abstract void onStart();

    /** Disconnects the store until the next start. Does nothing by default. */
    protected void onStop() {}

    @Override
    public final void start() {
        onStart();
        running = true;
    }

    @Override
    public final void setBeanFactory(BeanFactory factory) {
        beans = (ListableBeanFactory) factory;
    }

    @Override
    public final void stop() {
        if (!isAnythingHeld()) {
            onStop();
        }
        running = false;
    }

    private boolean isAnythingHeld() {
        return beans != null
                && beans.getBeansOfType(LockEngine.class).values().stream()
                        .anyMatch(engine -> engine.heldLocks().size() > 0);
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
