package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Drains the engine when the context stops: no new locks from then on, and the phase ends when nothing is held any
 * more, or with {@code spring.lifecycle.timeout-per-shutdown-phase}. The web server and listener containers have
 * stopped by then, since their phases are near {@code Integer.MAX_VALUE}. Executors may not have: with {@code
 * await-termination} Spring waits for their tasks when it destroys the beans, after all phases, and a task of a plain
 * {@code ExecutorService} is not awaited at all. So nothing is released here. The engine goes on with its renewals
 * until its bean is destroyed, after the executors, and the store stays connected for as long.
 *
 * <p>Has the engine grant locks again with the context, such as a paused test context or a restored checkpoint. The
 * engine runs from its construction on, since initialisation callbacks may lock. Called by the one thread that starts
 * or stops the context.
 */
record LockEngineLifecycle(LockEngine engine, ConfigurableListableBeanFactory beans) implements SmartLifecycle {

    static final int PHASE = 1000;

    private static final Logger log = LoggerFactory.getLogger(LockEngineLifecycle.class);

    @Override
    public void start() {
        engine.start();
    }

    @Override
    public void stop(Runnable callback) {
        destroyExecutorsBeforeEngine();
        int held = engine.heldLocks().size();
        if (held > 0) {
            log.info("Shutdown waits until {} locks are released", held);
        }
        engine.drain().thenRun(callback);
    }

    /** {@link #stop(Runnable)} without waiting. */
    @Override
    public void stop() {
        engine.drain();
    }

    /**
     * Spring registers only beans that are injected, and nothing is injected into an executor that runs locked work.
     */
    private void destroyExecutorsBeforeEngine() {
        for (String executor : beans.getBeanNamesForType(Executor.class, false, false)) {
            beans.registerDependentBean(LockEngineConfiguration.ENGINE, executor);
        }
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
