package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.engine.settings.EngineSettings.HandOver;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** A hand-over inside one instance, on a real server: its cost, and the results for the waiters. */
class HandOverIT extends RedisScenario {

    private static final int THREADS = 16;
    private static final int RUNS = 1_600;

    /** Network reads of the server for an acquisition and its release, with 16 threads competing for one lock. */
    private static final double READS = 0.3;

    private final CriticalSection section = new CriticalSection();
    private final Map<String, Integer> shares = new ConcurrentHashMap<>();
    private final Set<String> threads = ConcurrentHashMap.newKeySet();

    @Test
    void servesMostAcquisitionsWithoutACommandOrAThread() {
        Application application = warmedUp(newApplication());
        Set<String> threadsBefore = threadsOfTheClient();

        long reads = server().readsDuring(() -> churn(application));

        section.assertExclusive(RUNS);
        assertThat(reads).isLessThanOrEqualTo((long) (READS * RUNS));
        assertThat(notHandedOver(application)).isLessThanOrEqualTo(RUNS / 16);
        assertThat(threads).as("threads while the lock is handed over").isEqualTo(threadsBefore);
        assertThat(application.events().of(LockEvent.Released.class)).hasSize(RUNS + 1);
        assertNobodyStarved(shares);
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void sendsACommandPerAcquisitionWithoutHandOver() {
        Application application =
                warmedUp(newApplication(Application.with(HandOver.upTo(0), Application.settings(LONG_LEASE))));

        long reads = server().readsDuring(() -> churn(application));

        section.assertExclusive(RUNS);
        assertThat(reads).isGreaterThan((long) (READS * RUNS));
        assertThat(notHandedOver(application)).isEqualTo(RUNS);
    }

    private void churn(Application application) {
        AtomicInteger left = new AtomicInteger(RUNS);
        Crowd.of(THREADS).eachRuns(1, () -> {
            while (left.getAndDecrement() > 0) {
                try (LockHandle lock = application.locks().acquire(request)) {
                    section.run(lock.fencingToken());
                    shares.merge(Thread.currentThread().getName(), 1, Integer::sum);
                    if (section.count() % 100 == 0) {
                        threads.addAll(threadsOfTheClient());
                    }
                }
            }
        });
    }

    private long notHandedOver(Application application) {
        return application.events().of(LockEvent.Acquired.class).stream()
                .filter(event -> event.key().equals(key) && event.path() != Path.HANDED_OVER)
                .count();
    }

    private static Set<String> threadsOfTheClient() {
        return Thread.getAllStackTraces().keySet().stream()
                .map(Thread::getName)
                .filter(name -> name.startsWith("lock-"))
                .collect(Collectors.toSet());
    }

    /** Half a fair share leaves room for a thread that the machine does not schedule. */
    private static void assertNobodyStarved(Map<String, Integer> shares) {
        assertThat(shares).hasSize(THREADS);
        assertThat(shares.values()).as("%s", shares).allMatch(share -> share >= RUNS / THREADS / 2);
    }

    @Test
    void theCheckFindsAStarvingThread() {
        for (int i = 0; i < THREADS; i++) {
            shares.put("thread " + i, RUNS / THREADS);
        }
        assertNobodyStarved(shares);
        shares.put("thread 3", 1);

        assertThatThrownBy(() -> assertNobodyStarved(shares)).hasMessageContaining("thread 3=1");
    }

    @Test
    void grantsAWaiterWithoutRenewalAWholeLease() throws Exception {
        Duration lease = ofSeconds(6);

        assertThat(leaseAfterALateRelease(request.leasedFor(lease).withoutRenewal(), 3))
                .isGreaterThanOrEqualTo(lease.toMillis() * 9 / 10);
    }

    @Test
    void handsOverTheRestOfTheLeaseToARenewedWaiter() throws Exception {
        Duration lease = ofSeconds(6);

        assertThat(leaseAfterALateRelease(request.leasedFor(lease), 2))
                .isPositive()
                .isLessThan(lease.toMillis() * 9 / 10);
    }

    /** The remaining lease of the next waiter in ms, by the server, after a release at a sixth of the lease. */
    private long leaseAfterALateRelease(LockRequest request, long grants) throws Exception {
        Application application = warmedUp(newApplication());
        List<CompletableFuture<LockHandle>> row = rowBehindARelease(application, request, 2);
        LockHandle first = resultOf(row.get(0));
        letPass(ofSeconds(1));

        assertThat(first.release()).isEqualTo(ReleaseOutcome.RELEASED);
        LockHandle second = resultOf(row.get(1));
        long left = redis().pttl(lockKey);

        assertThat(notHandedOver(application)).isEqualTo(grants);
        assertThat(second.isHeld()).isTrue();
        assertThat(second.fencingToken()).isGreaterThan(first.fencingToken());
        assertThat(second.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeft();
        return left;
    }

    /** Waiters of one instance; the server grants the first one the lock with fencing tokens for the others. */
    private static List<CompletableFuture<LockHandle>> rowBehindARelease(
            Application application, LockRequest request, int waiters) {
        List<CompletableFuture<LockHandle>> row = new ArrayList<>();
        try (LockHandle held = application.locks().acquire(request)) {
            for (int i = 0; i < waiters; i++) {
                row.add(application.locks().acquireAsync(request));
            }
            assertThat(held.isHeld()).isTrue();
        }
        return row;
    }

    @Test
    void reportsTheLossOfAHandedOverLockOnceAndTheNextWaiterTries() throws Exception {
        Duration lease = ofSeconds(3);
        Application application = warmedUp(newApplication(lease));
        List<CompletableFuture<LockHandle>> row = rowBehindARelease(application, request, 3);
        LockHandle first = resultOf(row.get(0));
        first.release();
        LockHandle second = resultOf(row.get(1));
        assertThat(second.fencingToken()).as("handed over").isEqualTo(first.fencingToken() + 1);
        AtomicInteger losses = new AtomicInteger();
        second.onLost(losses::incrementAndGet);

        assertThat(redis().del(lockKey)).isOne();

        LockHandle third = resultOf(row.get(2));
        assertThat(second.isHeld()).isFalse();
        assertThat(third.fencingToken()).isGreaterThan(second.fencingToken() + 1);
        // A released handle receives nothing but the result of its release.
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(losses).hasValue(1));
        assertThat(second.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(third.isHeld()).isTrue();
        await().during(lease.dividedBy(2)).atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(losses).hasValue(1);
            assertThat(application.events().of(LockEvent.Lost.class))
                    .singleElement()
                    .satisfies(lost -> {
                        assertThat(lost.fencingToken()).isEqualTo(second.fencingToken());
                        assertThat(lost.cause()).isEqualTo(LossCause.OWNER_CHANGED);
                    });
        });
        assertThat(third.release()).isEqualTo(ReleaseOutcome.RELEASED);
        assertNothingLeft();
    }

    @Test
    void renewsAHandedOverLock() throws Exception {
        Duration lease = ofMillis(1500);
        Application application = warmedUp(newApplication(lease));
        List<CompletableFuture<LockHandle>> row = rowBehindARelease(application, request, 3);
        resultOf(row.get(0)).release();
        LockHandle second = resultOf(row.get(1));

        await().during(lease)
                .atMost(Patience.TIME)
                .until(() -> second.isHeld()
                        && !row.get(2).isDone()
                        && application.events().of(LockEvent.Lost.class).isEmpty());
    }

    @Test
    @Tag(Effort.FULL)
    void renewsALockAtTheSameRateWhileAnotherIsHandedOver() {
        Duration lease = ofMillis(1500);
        Application application = warmedUp(newApplication(lease));
        List<LockHandle> kept = keep(200, application);
        long start = System.nanoTime();
        Crowd.of(8).eachRuns(1, () -> {
            while (System.nanoTime() - start < lease.multipliedBy(2).toNanos()) {
                application.locks().acquire(request).close();
            }
        });
        double periods = periodsSince(start, lease);

        assertThat(renewalsOfKept(application))
                .isBetween((long) (kept.size() * (periods - 2)), mostRenewals(kept, periods));
        assertThat(notHandedOver(application))
                .isPositive()
                .isLessThan(application.events().of(LockEvent.Acquired.class).size() / 16);
        assertThat(application.backend().count(Verb.RENEW, key))
                .as("a row of hand-overs is over before its first renewal")
                .isLessThanOrEqualTo((long) periods);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
        assertThat(kept).allMatch(LockHandle::isHeld);
        kept.forEach(LockHandle::close);
        assertOnlyFencesLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAdditionalRenewals() {
        Duration lease = ofMillis(1500);
        Application application = warmedUp(newApplication(lease));
        List<LockHandle> kept = keep(20, application);
        long start = System.nanoTime();
        for (int i = 0; i < 12; i++) {
            letPass(lease.dividedBy(12));
            kept.forEach(lock -> lock.extend(LockRequest.of(lock.key()).leasedFor(lease)));
        }

        assertThat(renewalsOfKept(application)).isGreaterThan(mostRenewals(kept, periodsSince(start, lease)));
    }

    private List<LockHandle> keep(int number, Application application) {
        List<LockHandle> kept = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            kept.add(application.locks().acquire(key + ":kept:" + i));
        }
        return kept;
    }

    private long renewalsOfKept(Application application) {
        return application.backend().sent().stream()
                .filter(sent -> sent.verb() == Verb.RENEW && sent.key().contains(":kept:"))
                .count();
    }

    private static double periodsSince(long start, Duration lease) {
        return (System.nanoTime() - start) / (double) lease.dividedBy(3).toNanos();
    }

    private static long mostRenewals(List<LockHandle> kept, double periods) {
        return (long) (kept.size() * (periods + 1));
    }
}
