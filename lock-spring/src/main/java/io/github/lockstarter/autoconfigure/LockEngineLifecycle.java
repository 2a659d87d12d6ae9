package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.engine.LockEngine;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Drains the engines when the context stops: rejects new locks, and ends the phase when no lock is held or {@code
 * spring.lifecycle.timeout-per-shutdown-phase} is over. Releases only the locks of the thread that stops it and of
 * threads in {@code System.exit}, because executors may still run tasks: Spring awaits them when it destroys beans,
 * after all phases, or not at all. Until then engines renew leases and stores stay connected.
 *
 * <p>Restarts the engines with the context (paused test contexts, checkpoints): they are new instances then, so the
 * copies of a restored checkpoint are different ones. Spring stops and starts its lifecycle beans around a checkpoint
 * of CRaC. Called by one thread at a time.
 */
final class LockEngineLifecycle implements SmartLifecycle {

    /** Above all stores, below beans that use locks. */
    static final int PHASE = 1000;

    private static final Logger log = LoggerFactory.getLogger(LockEngineLifecycle.class);
    private static final String LEFT_TO_LEASES = "Locks of a crashed instance are free when their leases are over: ";

    private final Map<String, LockEngine> engines;
    private final ConfigurableListableBeanFactory beans;
    private final boolean takeoverWanted;
    private volatile boolean running;

    LockEngineLifecycle(
            Map<String, LockEngine> engines, ConfigurableListableBeanFactory beans, boolean takeoverWanted) {
        this.engines = engines;
        this.beans = beans;
        this.takeoverWanted = takeoverWanted;
    }

    @Override
    public void start() {
        running = true;
        engines.values().forEach(LockEngineLifecycle::start);
        if (takeoverWanted) {
            engines.values().forEach(engine -> report(engine.crashTakeover()));
        }
    }

    private static void start(LockEngine engine) {
        boolean wasStopped = !engine.isRunning();
        engine.start();
        if (wasStopped) {
            log.info(
                    "Locks are granted again; this instance is {}",
                    engine.admin().instance());
        }
    }

    private static void report(CrashTakeover takeover) {
        if (takeover.warning().isPresent()) {
            log.warn("{}{}", LEFT_TO_LEASES, takeover.warning().get());
        } else if (!takeover.reason().isEmpty()) {
            log.info("{}{}", LEFT_TO_LEASES, takeover.reason());
        }
    }

    @Override
    public void stop(Runnable callback) {
        destroyExecutorsBeforeEngine();
        CompletableFuture<Void> drained = drain();
        engines.values().forEach(LockEngine::loseLocksOfThreadsAwaitingShutdown);
        int held = engines.values().stream()
                .mapToInt(engine -> engine.heldLocks().size())
                .sum();
        if (held > 0) {
            log.info("Shutdown waits until {} locks are released", held);
        }
        drained.thenRun(callback);
    }

    /** Does not wait. */
    @Override
    public void stop() {
        drain();
    }

    private CompletableFuture<Void> drain() {
        running = false;
        return CompletableFuture.allOf(
                engines.values().stream().map(LockEngine::drain).toArray(CompletableFuture<?>[]::new));
    }

    /** Spring tracks injected dependencies only; an executor whose tasks lock does not inject the engine. */
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
