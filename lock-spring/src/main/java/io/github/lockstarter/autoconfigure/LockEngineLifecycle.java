package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
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
 * engine runs from its construction on, since initialisation callbacks may lock. With each start of the context, once
 * the stores have checked their servers, says in the log why the locks of a crashed instance are not taken over, if the
 * application wants that: WARN if an operator can change it, INFO otherwise. Called by the one thread that starts or
 * stops the context.
 */
final class LockEngineLifecycle implements SmartLifecycle {

    /** Above that of every store, and below those of beans that use locks. */
    static final int PHASE = 1000;

    private static final Logger log = LoggerFactory.getLogger(LockEngineLifecycle.class);
    private static final String LEFT_TO_LEASES = "Locks of a crashed instance are free when their leases are over: ";

    private final Map<String, LockEngine> engines;
    private final ConfigurableListableBeanFactory beans;
    private final boolean isTakeOverWanted;
    private volatile boolean running;

    LockEngineLifecycle(
            Map<String, LockEngine> engines, ConfigurableListableBeanFactory beans, boolean isTakeOverWanted) {
        this.engines = engines;
        this.beans = beans;
        this.isTakeOverWanted = isTakeOverWanted;
    }

    @Override
    public void start() {
        running = true;
        engines.values().forEach(LockEngine::start);
        if (isTakeOverWanted) {
            engines.values().forEach(engine -> report(engine.crashTakeOver()));
        }
    }

    private static void report(CrashTakeOver takeOver) {
        if (takeOver.warning().isPresent()) {
            log.warn("{}{}", LEFT_TO_LEASES, takeOver.warning().get());
        } else if (!takeOver.reason().isEmpty()) {
            log.info("{}{}", LEFT_TO_LEASES, takeOver.reason());
        }
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
        running = false;
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
        return running;
    }

    @Override
    public int getPhase() {
        return PHASE;
    }
}
