package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.redis.KeySpace;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Permits of instances that crash, are paused or are disconnected, of servers that lose them, and limits in use. */
class PermitsIT extends RedisScenario {

    private static final Duration TAKEOVER =
            EngineSettings.DEFAULTS.terms().crashTakeover().orElseThrow();

    /** By the design 1.6 s. */
    private static final Duration SOON = ofMillis(2_500);

    private final LockRequest permit = request.ownedByHandle().maxWait(Patience.TIME);

    /** Permits of two instances that are killed together become free together. */
    @Test
    @Tag(Effort.TIMING)
    void takesOverAllPermitsOfKilledProcessesTogether() throws Exception {
        assertThat(takesOverAllPermits(2, 2)).allMatch(time -> time < SOON.toMillis());
        assertThat(takesOverAllPermits(3, 1)).allMatch(time -> time < SOON.toMillis());
    }

    /** Returns when they were granted, in milliseconds after the kill. */
    private List<Long> takesOverAllPermits(int ofEach, int processes) throws Exception {
        int permits = ofEach * processes;
        Application heir = takingPart(newApplication());
        List<ChildJvm> holders = new ArrayList<>();
        try {
            for (int i = 0; i < processes; i++) {
                holders.add(HoldingJvm.start(server(), key, LONG_LEASE, TAKEOVER, permits, ofEach));
            }
            holders.forEach(holder -> holder.awaitLine("held"::equals, Patience.TIME));
            List<CompletableFuture<LockHandle>> waiting = IntStream.range(0, permits)
                    .mapToObj(i -> heir.locks().acquireAsync(permit.permits(permits)))
                    .toList();
            awaitWaiting();
            letPass(TAKEOVER);

            long killed = System.nanoTime();
            holders.forEach(ChildJvm::kill);
            List<Long> took = new ArrayList<>();
            List<LockHandle> taken = new ArrayList<>();
            for (CompletableFuture<LockHandle> each : waiting) {
                taken.add(resultOf(each));
                took.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - killed));
            }

            assertThat(taken).extracting(LockHandle::slot).doesNotHaveDuplicates();
            assertThat(heir.events().of(LockEvent.Acquired.class))
                    .filteredOn(event -> event.key().equals(key))
                    .hasSize(permits)
                    .allMatch(event -> event.path() == Path.TAKEN_OVER);
            assertThat(taken).allSatisfy(each -> assertThat(fencingTokensOf(holders, each.slot()))
                    .singleElement(InstanceOfAssertFactories.LONG)
                    .isLessThan(each.fencingToken()));
            taken.forEach(LockHandle::close);
            return took;
        } finally {
            holders.forEach(ChildJvm::close);
            heir.close();
        }
    }

    private static List<Long> fencingTokensOf(List<ChildJvm> holders, int slot) {
        return holders.stream()
                .flatMapToLong(holder -> HoldingJvm.fencingToken(holder, slot).stream())
                .boxed()
                .toList();
    }

    /** A server that has lost both slots restores both from their holders, and grants none meanwhile. */
    @Test
    void restoresEachForgottenSlot() throws Exception {
        assertThat(isGrantedToAThirdOnceForgotten(RedisStore.guarding(LONG_LEASE)))
                .isFalse();
    }

    /** The control: without the guard, a failover loses a slot. */
    @Test
    void grantsAForgottenSlotWithoutTheGuard() throws Exception {
        assertThat(isGrantedToAThirdOnceForgotten(RedisStore.WITHOUT_GRACE)).isTrue();
    }

    private boolean isGrantedToAThirdOnceForgotten(RedisSettings settings) {
        EngineSettings engine = Application.settings(LONG_LEASE);
        LockRequest two = permit.permits(2);
        try (RedisStore store = new RedisStore(server().uri()).with(settings);
                ClockedEngine first = new ClockedEngine(store.connect(), engine);
                ClockedEngine second = new ClockedEngine(store.connect(), engine);
                ClockedEngine third = new ClockedEngine(store.connect(), engine)) {
            WarmUp.connect(third.locks(), key + ":warm-up");
            LockHandle one = first.locks().acquire(two);
            LockHandle other = second.locks().acquire(two);
            assertThat(List.of(one.slot(), other.slot())).containsExactlyInAnyOrder(0, 1);

            redis().flushall();
            if (isGranted(third, two)) {
                return true;
            }
            List<ClockedEngine> holders = List.of(first, second);
            holders.forEach(each -> each.passUntilTheRenewal(LONG_LEASE));
            ClockedEngine.passUntil(holders, () -> {
                assertThat(isGranted(third, two)).as("granted meanwhile").isFalse();
                return redis().exists(slot(0), slot(1)) == 2;
            });
            assertThat(isGranted(third, two)).isFalse();
            assertThat(one.isHeld() && other.isHeld()).isTrue();
            assertThat(other.release()).isEqualTo(ReleaseOutcome.RELEASED);
            assertThat(redis().exists(slot(other.slot()))).isZero();
            assertThat(redis().exists(slot(one.slot()))).isOne();
            assertThat(one.release()).isEqualTo(ReleaseOutcome.RELEASED);
            return false;
        }
    }

    private static boolean isGranted(ClockedEngine application, LockRequest request) {
        try {
            return application.locks().tryAcquire(request.withoutWaiting()).isPresent();
        } catch (LockStoreRecoveringException e) {
            return false;
        }
    }

    private String slot(int slot) {
        return KeySpace.slotOf(lockKey, slot);
    }
}
