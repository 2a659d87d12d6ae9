package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
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
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.testing.Effort;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Leases on a real server: kept and lost, and their effects on other callers. */
class RenewalIT extends RedisScenario {

    private static final int MANY = Effort.of(3_000, 10_000);

    private final RedisStore store = new RedisStore(server().uri());
    private final ClockedEngine application = new ClockedEngine(store.connect(), Application.settings(LONG_LEASE));
    private final AtomicInteger losses = new AtomicInteger();

    @AfterEach
    void close() {
        server().resume();
        application.close();
        store.close();
    }

    /** The control is a lock that is not renewed. */
    @Test
    void renewsWhenAThirdOfTheLeaseIsUsedUp() {
        LockHandle held = application.locks().acquire(request);
        LockRequest unrenewed = LockRequest.of(key + ":unrenewed").withoutRenewal();
        LockHandle other = application.locks().acquire(unrenewed);
        redis().pexpire(lockKey, 60_000);
        redis().pexpire("lock:{" + unrenewed.name() + "}", 60_000);

        application.passUntilTheRenewal(LONG_LEASE);

        await().untilAsserted(() -> assertThat(outcomesOf(application)).containsExactly(RenewalOutcome.RENEWED));
        assertThat(redis().pttl(lockKey)).isGreaterThan(LONG_LEASE.toMillis() / 2);
        assertThat(redis().pttl("lock:{" + unrenewed.name() + "}")).isLessThanOrEqualTo(60_000);
        assertThat(held.isHeld() && other.isHeld()).isTrue();
        other.close();
        held.close();
        assertNothingLeft();
    }

    @Test
    void losesTheLockAtTheDeadlineWhenThePauseIsLongerThanTheLease() {
        LockHandle held = acquireCountingLosses(application);

        server().pause();
        application.pass(LONG_LEASE);
        await().until(() -> losses.get() > 0);
        assertThat(held.isHeld()).isFalse();
        server().resume();

        await().during(ofMillis(Patience.MOMENT_MILLIS)).untilAsserted(() -> {
            assertThat(held.isHeld()).isFalse();
            assertThat(held.remainingLease()).isZero();
            assertThat(losses).hasValue(1);
        });
        assertThat(held.release()).isEqualTo(ReleaseOutcome.LOST);
        redis().del(lockKey);
        try (LockHandle next = newApplication().locks().acquire(request)) {
            assertThat(next.fencingToken()).isGreaterThan(held.fencingToken());
        }
    }

    @Test
    @Tag(Effort.FULL)
    void holdsThousandsOfLocksWithAConstantNumberOfThreads() {
        application.locks().acquire(request).close();
        int threads = ManagementFactory.getThreadMXBean().getThreadCount();
        List<LockHandle> kept = new ArrayList<>();
        for (int i = 0; i < MANY; i++) {
            kept.add(application.locks().acquire(LockRequest.of(key + ":" + i)));
        }

        application.passUntilTheRenewal(LONG_LEASE);
        for (int i = 0; i < 100; i++) {
            application.locks().acquire(LockRequest.of(key + ":other:" + i)).close();
        }

        await().untilAsserted(() -> assertThat(outcomesOf(application)).hasSize(MANY));
        assertThat(application.backend().sent())
                .filteredOn(sent -> sent.verb() == Verb.RENEW)
                .as("one for each held lock")
                .hasSize(MANY)
                .noneMatch(sent -> sent.key().contains(":other:"));
        assertThat(ManagementFactory.getThreadMXBean().getThreadCount()).isLessThanOrEqualTo(threads + 2);
        assertThat(kept).allMatch(LockHandle::isHeld);
        assertThat(application.locks().heldLocks().size()).isEqualTo(MANY);
        kept.forEach(LockHandle::close);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
    }

    private static List<RenewalOutcome> outcomesOf(ClockedEngine of) {
        return of.events().of(LockEvent.Renewed.class).stream()
                .map(LockEvent.Renewed::outcome)
                .toList();
    }

    private LockHandle acquireCountingLosses(ClockedEngine owner) {
        LockHandle held = owner.locks().acquire(request);
        held.onLost(losses::incrementAndGet);
        return held;
    }
}
