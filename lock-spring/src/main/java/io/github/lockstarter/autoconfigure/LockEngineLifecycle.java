package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Drains the engines when the context stops: no new locks from then on, and the phase ends when nothing is held any
 * more, or with {@code spring.lifecycle.timeout-per-shutdown-phase}. The web server and listener containers have
 * stopped by then, since their phases are near {@code Integer.MAX_VALUE}. Executors may not have: with {@code
 * await-termination} Spring waits for their tasks when it destroys the beans, after all phases, and a task of a plain
 * {@code ExecutorService} is not awaited at all. So nothing is released here. The engines go on with their renewals
 * until their beans are destroyed, after the executors, and the store stays connected for as long.
 *
 * <p>Has the engine grant locks again with the context, such as a paused test context or a restored checkpoint. The
 * engine runs from its construction on, since initialisation callbacks may lock. Called by the one thread that starts
 * or stops the context.
 */
record LockEngineLifecycle(Map<String, LockEngine> engines, ConfigurableListableBeanFactory beans)
        implements SmartLifecycle {

    static final int PHASE = 1000;

    private static final Logger log = LoggerFactory.getLogger(LockEngineLifecycle.class);

    @Override
    public void start() {
        engines.values().forEach(LockEngine::start);
    }

    @Override
    public void stop(Runnable callback) {
        destroyExecutorsBeforeEngine();
        int held = engines.values().stream()
                .mapToInt(engine -> engine.heldLocks().size())
                .sum();
        if (held > 0) {
            log.info("Shutdown waits until {} locks are released", held);
        }
        drain().thenRun(callback);
    }

    /** {@link #stop(Runnable)} without waiting. */
    @Override
    public void stop() {
        drain();
    }

    private CompletableFuture<Void> drain() {
        return CompletableFuture.allOf(
                engines.values().stream().map(LockEngine::drain).toArray(CompletableFuture<?>[]::new));
    }

    /**
     * Spring registers only beans that are injected, and nothing is injected into an executor that runs locked work.
     */
    private void destroyExecutorsBeforeEngine() {
        for (String executor : beans.getBeanNamesForType(Executor.class, false, false)) {
            engines.keySet().forEach(engine -> beans.registerDependentBean(engine, executor));
        }
    }

    @Override
    public boolean isRunning() {
        return engines.values().stream().allMatch(LockEngine::isRunning);
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
