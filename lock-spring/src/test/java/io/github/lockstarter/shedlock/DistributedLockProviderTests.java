package io.github.lockstarter.shedlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.local.LocalLockBackend;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class DistributedLockProviderTests {

    private static final String KEY = "shedlock:report";
    private static final Duration LEASE = Duration.ofMillis(1200);
    private static final Duration SHORT = Duration.ofMillis(200);

    private final LocalLockBackend store = new LocalLockBackend();
    private final Application first = Application.over(store, Application.settings(LEASE));
    private final Application second = Application.over(store);
    private final DistributedLockProvider provider = new DistributedLockProvider(first.locks(), LEASE);
    private final DistributedLockProvider other = new DistributedLockProvider(second.locks(), LEASE);

    @AfterEach
    void close() {
        first.close();
        second.close();
        store.close();
    }

    private static LockConfiguration times(Duration atMost, Duration atLeast) {
        return new LockConfiguration(Instant.now(), "report", atMost, atLeast);
    }

    private static LockConfiguration atMost(Duration atMost) {
        return times(atMost, Duration.ZERO);
    }

    private SimpleLock locked(LockConfiguration configuration) {
        return provider.lock(configuration).orElseThrow();
    }

    private HeldLock held() {
        return first.locks().heldLocks().find(KEY).orElseThrow();
    }

    @Test
    void excludesOthersEvenOnTheSameThreadWithoutWaiting() {
        SimpleLock lock = locked(atMost(Duration.ofMinutes(5)));

        assertThat(provider.lock(atMost(Duration.ofMinutes(5)))).isEmpty();
        assertThat(other.lock(atMost(Duration.ofMinutes(5)))).isEmpty();
        assertThat(first.locks().tryAcquire(KEY)).isEmpty();

        lock.unlock();
        assertThat(other.lock(atMost(Duration.ofMinutes(5)))).isPresent();
    }

    @Test
    void anotherThreadCanUnlock() {
        SimpleLock lock = locked(atMost(LEASE));

        CompletableFuture.runAsync(lock::unlock).join();

        assertThat(other.lock(atMost(LEASE))).isPresent();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Tag(Effort.FULL)
    void renewsUpToALongestTimeAboveTheLease() {
        locked(atMost(LEASE.multipliedBy(4)));

        await().during(LEASE.plus(SHORT)).atMost(Patience.TIME).until(() -> other.lock(atMost(SHORT))
                .isEmpty());
        awaitFree();
    }

    @Test
    void doesNotRenewWhenTheLongestTimeIsWithinTheLease() {
        locked(atMost(SHORT));

        awaitFree();
        assertThat(first.backend().count(Verb.RENEW, KEY)).isZero();
    }

    @Test
    void keepsAnUnlockedLockForItsMinimumTime() {
        locked(times(Duration.ofMinutes(5), LEASE)).unlock();

        assertThat(first.admin().inspect(KEY).join()).isInstanceOf(StoredLock.Kept.class);
        awaitFree();
    }

    @Test
    void leasesALockForItsMinimumTimeIfThatIsLonger() {
        SimpleLock lock = locked(times(Duration.ofMinutes(5), Duration.ofSeconds(20)));

        assertThat(held().remainingLease()).isGreaterThan(Duration.ofSeconds(15));
        lock.unlock();
    }

    @Test
    void refusesAMinimumTimeAboveTheLongestLease() {
        assertThatThrownBy(() -> provider.lock(times(Duration.ofHours(2), Duration.ofHours(1))))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("max-lease");
    }

    @Test
    void refusesALeaseThatIsTooShort() {
        assertThatThrownBy(() -> new DistributedLockProvider(first.locks(), Duration.ofMillis(19)))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("19ms");
    }

    @Test
    void extendsALockThatIsNotRenewedAndThenRenewsIt() {
        SimpleLock lock = locked(atMost(LEASE));

        Optional<SimpleLock> extended = lock.extend(Duration.ofMinutes(5), Duration.ZERO);

        await().during(LEASE.multipliedBy(2)).atMost(Patience.TIME).until(() -> other.lock(atMost(SHORT))
                .isEmpty());
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalStateException.class);
        extended.orElseThrow().unlock();
        assertThat(other.lock(atMost(SHORT))).isPresent();
    }

    @Test
    void countsTheMinimumTimeOfAnExtensionFromTheExtension() {
        SimpleLock lock = locked(atMost(Duration.ofMinutes(5)));
        await().pollDelay(LEASE).until(() -> true); // so that the grant is long ago

        lock.extend(Duration.ofMinutes(5), LEASE).orElseThrow().unlock();

        assertThat(first.admin().inspect(KEY).join()).isInstanceOf(StoredLock.Kept.class);
    }

    @Test
    void doesNotExtendALostLock() {
        SimpleLock lock = locked(atMost(Duration.ofMinutes(5)));
        second.admin().revoke(KEY, held().fencingToken()).join();

        assertThat(lock.extend(Duration.ofMinutes(5), Duration.ZERO)).isEmpty();
        assertThat(other.lock(atMost(SHORT))).isPresent();
    }

    @Test
    void doesNotExtendALockWhoseLongestTimeIsOver() {
        // Again if the shortest lease was over before the lock was handed out.
        SimpleLock lock = await().ignoreExceptionsInstanceOf(LockException.class)
                .until(() -> provider.lock(atMost(Duration.ofMillis(2))), Optional::isPresent)
                .orElseThrow();
        await().pollDelay(Duration.ofMillis(5)).until(() -> true); // until that time is over, and the lease is not

        assertThat(lock.extend(Duration.ofSeconds(10), Duration.ZERO)).isEmpty();
        assertThat(other.lock(atMost(SHORT))).isPresent();
    }

    @Test
    void throwsWhenTheOutcomeOfAnExtensionIsUnknownAndKeepsTheLock() {
        SimpleLock lock = locked(atMost(Duration.ofMinutes(5)));
        first.backend().failRenewals(1);

        assertThatThrownBy(() -> lock.extend(Duration.ofMinutes(5), Duration.ZERO))
                .isInstanceOf(LockBackendException.class);
        assertThat(lock.extend(Duration.ofMinutes(5), Duration.ZERO)).isPresent();
    }

    @Test
    void throwsWhenTheOutcomeOfAnAttemptIsUnknown() {
        first.close();

        assertThatThrownBy(() -> provider.lock(atMost(LEASE))).isInstanceOf(LockBackendException.class);
    }

    @Test
    void unlocksALostLockWithoutAnException() {
        SimpleLock lock = locked(atMost(SHORT));
        try (LockHandle next = second.locks().acquire(KEY)) {
            lock.unlock();

            assertThat(next.isHeld()).isTrue();
        }
    }

    /** A machine that stalls may lose such a short lock before it is returned. */
    private void awaitFree() {
        await().atMost(Patience.TIME)
                .ignoreExceptionsInstanceOf(LockLostException.class)
                .until(() -> other.lock(atMost(SHORT)).isPresent());
    }
}
