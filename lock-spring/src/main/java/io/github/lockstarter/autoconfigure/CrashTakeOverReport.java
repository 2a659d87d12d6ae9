package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.engine.LockEngine;
import java.util.Collection;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.context.SmartLifecycle;

/**
 * Says in the log why the locks of a crashed instance are not taken over, where the application wants it: WARN if an
 * operator can change it, INFO otherwise. At each start of the context, once the stores have checked their servers.
 *
 * <p>Called by the one thread that starts or stops the context.
 */
final class CrashTakeOverReport implements SmartLifecycle {

    /** Above that of every store, and below those of what uses locks. */
    static final int PHASE = LockEngineLifecycle.PHASE;

    private static final Logger log = LoggerFactory.getLogger(CrashTakeOverReport.class);
    private static final String LEFT_TO_LEASES = "Locks of a crashed instance are free when their leases are over: ";

    private final Collection<LockEngine> engines;
    private final boolean isWanted;
    private volatile boolean running;

    CrashTakeOverReport(Collection<LockEngine> engines, boolean isWanted) {
        this.engines = engines;
        this.isWanted = isWanted;
    }

    @Override
    public void start() {
        running = true;
        if (isWanted) {
            engines.forEach(engine -> report(engine.crashTakeOver()));
        }
    }

    private static void report(CrashTakeOver takeOver) {
        if (takeOver.reason().isEmpty()) {
            return;
        }
        takeOver.warning()
                .ifPresentOrElse(
                        warning -> log.warn("{}{}", LEFT_TO_LEASES, warning),
                        () -> log.info("{}{}", LEFT_TO_LEASES, takeOver.reason()));
    }

    @Override
    public void stop() {
        running = false;
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
