package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.contract.RecordingBackend.Verb;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.testing.Effort;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases on a real server: kept and lost, and their effects on other callers. */
class RenewalIT extends RedisScenario {

    private static final Duration LEASE = ofMillis(900);

    /** For actions within a part of the lease, while other tests run on the same machine. */
    private static final Duration LONGER_LEASE = ofSeconds(6);

    /** Delay of the loss on a busy machine: only its own timer notifies the holder, however long it waits. */
    private static final int MANY = Effort.of(3_000, 10_000);

    private final Application application = newApplication(LEASE);
    private final AtomicInteger losses = new AtomicInteger();

    @Test
    @Tag(Effort.FULL)
    void renewsBeforeHalfOfTheLeaseIsUsedUp() {
        Application patient = newApplication(LONGER_LEASE);
        try (LockHandle held = patient.locks().acquire(request)) {
            long shortest = shortestLeaseDuring(LONGER_LEASE.multipliedBy(2));

            assertThat(held.isHeld()).isTrue();
            assertThat(shortest).isGreaterThanOrEqualTo(LONGER_LEASE.toMillis() / 2);
        }
        assertThat(patient.events().of(LockEvent.Lost.class)).isEmpty();
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void theLeaseRunsDownWithoutRenewal() {
        LockHandle held = application.locks().acquire(request.withoutRenewal());

        assertThat(shortestLeaseDuring(LEASE.multipliedBy(2))).isLessThan(LEASE.toMillis() / 2);

        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }

    private long shortestLeaseDuring(Duration time) {
        long shortest = Long.MAX_VALUE;
        long start = System.nanoTime();
        while (System.nanoTime() - start < time.toNanos()) {
            shortest = Math.min(shortest, redis().pttl(lockKey));
            pauseBetweenLooks();
        }
        return shortest;
    }

    @Test
    @Tag(Effort.FULL)
    void survivesAPauseLongerThanARenewalAndShorterThanTheLease() {
        Application patient = newApplication(LONGER_LEASE);
        LockHandle held = acquireCountingLosses(patient);

        server().pause();
        awaitRenewals(patient, RenewalOutcome.FAILED, 1);
        server().resume();

        awaitRenewals(patient, RenewalOutcome.RENEWED, 3); // more than a lease after the grant
        assertThat(held.isHeld()).isTrue();
        assertThat(losses).hasValue(0);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void losesTheLockAtTheDeadlineWhenThePauseIsLongerThanTheLease() {
        LockHandle held = acquireCountingLosses(application);

        server().pause();
        await().pollInterval(ofMillis(5)).atMost(Patience.TIME).until(() -> losses.get() > 0);
        assertThat(held.isHeld()).isFalse();
        letPass(ofMillis(300));
        server().resume();

        await().during(LEASE).atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(held.isHeld()).isFalse();
            assertThat(held.remainingLease()).isZero();
            assertThat(losses).hasValue(1);
        });
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        try (LockHandle next = newApplication(LEASE).locks().acquire(request)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    void reportsADeletedKeyAtTheNextRenewal() {
        Application patient = newApplication(LONGER_LEASE);
        LockHandle held = acquireCountingLosses(patient);

        redis().del(lockKey);

        awaitLossOfAnotherOwner(patient);
        assertThat(patient.backend().count(Verb.RENEW)).isEqualTo(1);
        await().during(LEASE).atMost(Patience.TIME).untilAsserted(() -> {
            assertThat(losses).hasValue(1);
            assertThat(held.isHeld()).isFalse();
            assertThat(redis().exists(lockKey)).as("no renewal brings it back").isZero();
        });
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
    }

    private void awaitLossOfAnotherOwner(Application of) {
        await().atMost(Patience.TIME).until(() -> losses.get() > 0);
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(of.events().of(LockEvent.Lost.class))
                .singleElement()
                .extracting(LockEvent.Lost::cause)
                .isEqualTo(LockEvent.LossCause.OWNER_CHANGED));
    }

    @Test
    void keepsTheLockOfAnOwnerThatOverwroteTheKey() {
        Application patient = newApplication(LONGER_LEASE);
        LockHandle held = acquireCountingLosses(patient);

        redis().psetex(lockKey, 60_000, "thief");

        awaitLossOfAnotherOwner(patient);
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        assertThat(redis().get(lockKey)).isEqualTo("thief");
        assertThat(redis().pttl(lockKey)).isBetween(LONGER_LEASE.toMillis() + 1, 60_000L);
        assertThat(losses).hasValue(1);
    }

    @Test
    void restoresALeaseThatAnOperatorRemoved() {
        LockHandle held = application.locks().acquire(request);

        redis().persist(lockKey);

        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(redis().pttl(lockKey)).isPositive());
        assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);
    }

    @Test
    void releasesHeldLocksWhenTheApplicationCloses() {
        LockHandle held = acquireCountingLosses(application);

        application.close();

        assertNothingLeft();
        assertThat(held.isHeld()).isFalse();
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(losses).hasValue(1));
    }

    @Test
    @Tag(Effort.FULL)
    void holdsThousandsOfLocksWithAConstantNumberOfThreads() {
        application.locks().acquire(request).close();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        Duration lease = ofSeconds(9);
        List<LockHandle> kept = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            kept.add(application.locks().acquire(LockRequest.of(key + ":" + i).leasedFor(lease)));
        }

        long renewalsBefore = application.backend().count(Verb.RENEW);
        long start = System.nanoTime();
        int others = 0;
        while (System.nanoTime() - start < lease.dividedBy(3).toNanos()) {
            application
                    .locks()
                    .acquire(LockRequest.of(key + ":other:" + others).leasedFor(lease))
                    .close();
            others++;
        }
        long renewals = application.backend().count(Verb.RENEW) - renewalsBefore;
        double periods =
                (System.nanoTime() - start) / (double) lease.dividedBy(3).toNanos();

        assertThat(others).isGreaterThan(100);
        assertThat(renewals).as("one for each held lock and period").isBetween(1L, (long) (MANY * (periods + 1)));
        assertThat(application.backend().sent())
                .filteredOn(sent -> sent.verb() == Verb.RENEW)
                .noneMatch(sent -> sent.key().contains(":other:"));
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThanOrEqualTo(threads + 2);
        assertThat(kept).allMatch(LockHandle::isHeld);
        assertThat(application.locks().heldLocks().size()).isEqualTo(MANY);
        kept.forEach(LockHandle::close);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
    }

    private LockHandle acquireCountingLosses(Application owner) {
        LockHandle held = owner.locks().acquire(request);
        held.onLost(losses::incrementAndGet);
        return held;
    }
}
