package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several keys that are held as one. */
class SeveralKeysTests {

    private final LockEngine engine =
            new LockEngine(new LocalLockBackend(), EngineSettings.DEFAULTS, List.of(), EngineClock.SYSTEM);

    @AfterEach
    void stop() {
        engine.stop();
    }

    @Test
    void closeReleasesManyKeys() {
        List<String> keys = IntStream.range(0, 10_000).mapToObj(i -> "k" + i).toList();

        engine.acquire(LockRequest.ofAll(keys)).close();

        assertThat(engine.heldLocks().size()).isZero();
    }

    /** A stage that depends on the future may block, and acquire one of the keys. */
    @Test
    void releasesAcquiredKeysBeforeTheFutureFails() throws Exception {
        LockHandle b = engine.acquire(LockRequest.of("b"));
        CompletableFuture<LockHandle> dependent = engine.acquireAsync(
                        LockRequest.ofAll(List.of("a", "b")).maxWait(Duration.ofMillis(50)))
                .handle((both, failure) -> engine.acquire(LockRequest.of("a").maxWait(Patience.TIME)));

        try (LockHandle a = dependent.get(Patience.SECONDS, TimeUnit.SECONDS)) {
            assertThat(a.isHeld()).isTrue();
        }
        b.close();
    }
}
