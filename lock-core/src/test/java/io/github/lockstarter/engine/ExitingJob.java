package io.github.lockstarter.engine;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.local.LocalLockBackend;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;

/** A program whose job ends its process under its lock, and a shutdown that waits for all locks. */
final class ExitingJob {

    static final int CODE = 7;
    static final String LOST = "lost";

    private ExitingJob() {}

    public static void main(String[] arguments) {
        LockEngine engine =
                new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);
        CountDownLatch noticed = new CountDownLatch(1);
        Runtime.getRuntime().addShutdownHook(new Thread(() -> {
            CompletableFuture<Void> drained = engine.drain();
            engine.loseLocksOfThreadsAwaitingShutdown();
            drained.join();
            try {
                noticed.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }));
        engine.acquire(LockRequest.of("job")).onLost(() -> {
            System.out.println(LOST);
            noticed.countDown();
        });
        System.exit(CODE);
    }
}
