package io.github.lockstarter.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockMode;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Rejected;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

/** Granting, renewing, releasing, forgetting. */
class LocalLockBackendTests extends LocalLocks {

    @Test
    void fencingTokensGrowWhenTheWallClockStepsBack() {
        AtomicLong wall = new AtomicLong(1_800_000_000_000L);
        try (LocalLockBackend stepping = new LocalLockBackend(nanos::get, () -> Instant.ofEpochMilli(wall.get()))) {
            AcquireCommand command = new AcquireCommand(KEY, first, LEASE, 0, 1, Optional.empty());
            long before = granted(answer(stepping.attemptAcquire(command)));
            stepping.releaseToken(new ReleaseCommand(KEY, first, before));
            wall.addAndGet(-3_600_000);

            assertThat(before).isEqualTo(1_800_000_000_000_000L);
            assertThat(granted(answer(stepping.attemptAcquire(command)))).isEqualTo(before + 1);
        }
    }

    @Test
    void unusedKeysAreForgottenAndTheirFencingTokensStillGrow() {
        long before = granted(acquire(first));
        release(first, before);

        for (int i = 0; i < 10 * LocalLockBackend.REMEMBERED; i++) {
            LockToken token = new LockToken("a", i);
            AcquireCommand plain = new AcquireCommand("churn:" + i, token, LEASE, 0, 1, Optional.empty());
            answer(backend.attemptAcquire(i % 3 == 0 ? reading(plain) : plain));
            if (i % 2 == 0) {
                backend.releaseToken(new ReleaseCommand("churn:" + i, token, 0));
            } else {
                pass(LEASE); // as if the holder had died
            }
        }

        assertThat(backend.size()).isBetween(1, LocalLockBackend.REMEMBERED);
        assertThat(granted(acquire(second))).isGreaterThan(before);
    }

    private static AcquireCommand reading(AcquireCommand plain) {
        return new AcquireCommand(
                plain.key(),
                plain.token(),
                plain.lease(),
                0,
                1,
                Optional.empty(),
                Duration.ZERO,
                1,
                Optional.empty(),
                LockMode.READ);
    }

    @Test
    void keysInUseAreNotForgotten() {
        granted(acquire(first));
        for (int i = 0; i < 3 * LocalLockBackend.REMEMBERED; i++) {
            answer(backend.attemptAcquire(new AcquireCommand("held:" + i, first, LEASE, 0, 1, Optional.empty())));
        }

        assertThat(backend.size()).isEqualTo(3 * LocalLockBackend.REMEMBERED + 1);
        assertThat(acquire(second)).isInstanceOf(Contended.class);
    }

    @Test
    void aClosedBackendGrantsNothingButLetsHoldersRelease() {
        long fencing = granted(acquire(first));
        backend.close();
        backend.close();

        assertThat(acquire(second)).isInstanceOf(Rejected.class);
        assertThat(release(first, fencing)).isInstanceOf(ReleaseResult.Released.class);
    }

    @Test
    void anIdleBackendHasNoThread() throws InterruptedException {
        BlockingQueue<String> b = listen("b");
        long fencing = granted(acquire(first));
        waitFor(second, Waiting.NEW);
        release(first, fencing);
        assertThat(b.poll(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo(KEY);

        await().untilAsserted(() -> assertThat(Thread.getAllStackTraces().keySet())
                .noneMatch(thread -> thread.getName().startsWith("lock-local-signals-")));
    }

    @Test
    void fencingTokensAreUniqueAcrossKeys() {
        long before = granted(answer(backend.attemptAcquire(many(KEY))));

        assertThat(granted(answer(backend.attemptAcquire(many("other"))))).isGreaterThan(before + 63);
    }

    @Test
    void keysThatWereGrantedManyFencingTokensAreForgottenToo() {
        for (int i = 0; i < 3 * LocalLockBackend.REMEMBERED; i++) {
            answer(backend.attemptAcquire(many("churn:" + i)));
            backend.releaseToken(new ReleaseCommand("churn:" + i, first, 0));
        }

        assertThat(backend.size()).isLessThanOrEqualTo(LocalLockBackend.REMEMBERED);
    }

    private AcquireCommand many(String key) {
        return new AcquireCommand(key, first, LEASE, 8_000_000_000_000_000L, 64, Optional.empty());
    }
}
