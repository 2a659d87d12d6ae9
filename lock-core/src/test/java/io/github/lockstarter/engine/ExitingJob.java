package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.util.List;

/** A program whose job ends its process under its lock during a shutdown that waits for all locks. */
final class ExitingJob {

    static final int CODE = 7;

    private ExitingJob() {}

    public static void main(String[] arguments) {
        LockEngine engine =
                new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> engine.drain().join()));
        engine.acquire(LockRequest.of("job"));
        new Thread(() -> System.exit(CODE)).start();
        while (engine.isRunning()) {
            Thread.onSpinWait();
        }
        System.exit(CODE);
    }
}
