package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.BeanFactoryAware;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Has a store checked when the context starts, before the engine starts, and disconnected when the context stops, after
 * the engine has drained. A store that still has locks of this instance stays connected until its bean is destroyed: to
 * other instances, a disconnected holder looks like a crashed one. For the modules with a store. Locks that are taken
 * earlier, by initialisation callbacks, find the store unchecked.
 *
 * <p>Called by the one thread that starts or stops the context; any thread may ask whether it runs.
 */
public abstract class StoreLifecycle implements SmartLifecycle, BeanFactoryAware {

    /** Below the engine's, so that it starts first and stops last. */
    private static final int PHASE = 1;

    private volatile boolean running;
    private @Nullable ListableBeanFactory beans;

    /** Not running yet. */
    protected StoreLifecycle() {}

    /**
     * Connects the store, as far as it does not connect by itself, and checks that it can keep locks.
     *
     * @throws RuntimeException fails the start of the context
     */
    protected abstract void onStart();

    /**
     * Disconnects the store until the next start. Does nothing by default, where only the bean's destruction does that.
     */
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
