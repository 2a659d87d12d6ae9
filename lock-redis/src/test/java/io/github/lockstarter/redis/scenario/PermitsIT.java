package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

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
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.WarmUp;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.Nested;
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
    void takesOverAllPermitsOfKilledProcesses() throws Exception {
        takesOverAllPermits(2, 2);
    }

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

    /** Limits are equal, then too high in one instance, different in all of them, and lowered, while all work. */
    @Nested
    class Limits {

        private static final int THREADS = 4;
        private static final int SECTIONS_OF_EACH = 300;

        private final List<ChildJvm> jvms = new ArrayList<>();

        @Test
        @Tag(Effort.FULL)
        void neverHasMoreHoldersThanTheGreatestLimitInUse() {
            try {
                for (int i = 0; i < 3; i++) {
                    jvms.add(ChildJvm.start(
                            LimitedJvm.class,
                            Integer.toString(server().port()),
                            key,
                            Integer.toString(i),
                            Integer.toString(THREADS)));
                }
                jvms.forEach(jvm -> jvm.awaitLine("ready"::equals, Patience.TIME));

                awaitMostHolders(3, 1, 3, 3, 3);
                awaitMostHolders(4, 2, 3, 3, 4); // the control: one instance requests one more
                awaitMostHolders(5, 3, 5, 2, 3);
                awaitMostHolders(2, 4, 2, 2, 2);
                IntStream.range(0, jvms.size()).forEach(i -> redis().del(LimitedJvm.settingOf(key, i)));
                jvms.forEach(jvm -> jvm.awaitLine("done"::equals, Patience.TIME));

                List<Section> all = sections();
                all.forEach(each -> assertWithinLimits(each, at(each.from, all)));
                assertFencingTokensGrowInEachSlot(all);
            } finally {
                jvms.forEach(ChildJvm::close);
            }
            assertNothingLeft();
        }

        /** Until each instance was served often in a round, and so many callers had the lock at a time, never more. */
        private void awaitMostHolders(int most, int round, int... limits) {
            for (int i = 0; i < limits.length; i++) {
                redis().set(LimitedJvm.settingOf(key, i), round + " " + limits[i]);
            }
            await().atMost(Patience.TIME).untilAsserted(() -> {
                assertThat(jvms).allSatisfy(jvm -> assertThat(sectionsOf(jvm))
                        .filteredOn(each -> each.round == round)
                        .hasSizeGreaterThan(SECTIONS_OF_EACH));
                List<Section> asked =
                        sections().stream().filter(each -> each.round == round).toList();
                assertThat(asked)
                        .extracting(each -> at(each.from, asked).size())
                        .contains(most);
                assertThat(asked)
                        .extracting(each -> at(each.from, asked).size())
                        .allMatch(holders -> holders <= most);
            });
        }

        private static List<Section> at(long moment, List<Section> all) {
            return all.stream()
                    .filter(each -> each.from - moment <= 0 && moment - each.to < 0)
                    .toList();
        }

        private static void assertWithinLimits(Section entering, List<Section> present) {
            assertThat(entering.slot).isLessThan(entering.limit);
            assertThat(present).extracting(Section::slot).doesNotHaveDuplicates();
            int greatest = present.stream().mapToInt(Section::limit).max().orElseThrow();
            assertThat(present).hasSizeLessThanOrEqualTo(greatest);
        }

        private static void assertFencingTokensGrowInEachSlot(List<Section> all) {
            Map<Integer, Long> latest = new HashMap<>();
            all.stream()
                    .sorted((one, other) -> Long.compare(one.from, other.from))
                    .forEach(each -> {
                        assertThat(each.fencingToken).isGreaterThan(latest.getOrDefault(each.slot, 0L));
                        latest.put(each.slot, each.fencingToken);
                    });
        }

        private List<Section> sections() {
            return jvms.stream().flatMap(jvm -> sectionsOf(jvm).stream()).toList();
        }

        private static List<Section> sectionsOf(ChildJvm jvm) {
            return jvm.lines().stream()
                    .filter(line -> line.startsWith("section "))
                    .map(Section::of)
                    .toList();
        }

        private record Section(int round, int limit, int slot, long from, long to, long fencingToken) {

            static Section of(String line) {
                long[] fields = Stream.of(line.split(" ", -1))
                        .skip(1)
                        .mapToLong(Long::parseLong)
                        .toArray();
                return new Section((int) fields[0], (int) fields[1], (int) fields[2], fields[3], fields[4], fields[5]);
            }
        }

        /** A slot is kept for its minimum hold, so that a window of that length never has more starts than permits. */
        @Test
        @Tag(Effort.FULL)
        void startsAtMostAsManyCallsAsPermitsPerWindow() throws Exception {
            Duration window = ofMillis(300);
            assertThat(shortestWindow(window)).isGreaterThanOrEqualTo(window.minusMillis(1));
        }

        /** The control: without the minimum hold, the same callers start sooner. */
        @Test
        @Tag(Effort.TIMING)
        void startsMoreCallsPerWindowWithoutTheMinimumHold() throws Exception {
            assertThat(shortestWindow(Duration.ZERO)).isLessThan(ofMillis(300 / 2));
        }

        /** The shortest time, by the clock of the server, in which one more call than there are permits has started. */
        private Duration shortestWindow(Duration minimum) throws Exception {
            int permits = 4;
            LockRequest start = request.permits(permits)
                    .ownedByHandle()
                    .lease(ofSeconds(20))
                    .maxWait(Patience.TIME)
                    .minHold(minimum.isZero() ? ofMillis(1) : minimum);
            List<Application> applications = List.of(warmedUp(newApplication()), warmedUp(newApplication()));
            List<Future<Long>> starts = new ArrayList<>();
            for (int i = 0; i < 5 * permits; i++) {
                Application caller = applications.get(i % 2);
                starts.add(elsewhere(() -> {
                    try (LockHandle held = caller.locks().acquire(start)) {
                        String stored = redis().get(KeySpace.slotOf(lockKey, held.slot()));
                        return Long.parseLong(stored.substring(stored.indexOf('@') + 1, stored.indexOf(' ')));
                    }
                }));
            }
            List<Long> micros = new ArrayList<>();
            for (Future<Long> each : starts) {
                micros.add(resultOf(each));
            }
            long[] sorted = micros.stream().mapToLong(Long::longValue).sorted().toArray();
            return IntStream.range(permits, sorted.length)
                    .mapToObj(i -> Duration.ofNanos(1_000 * (sorted[i] - sorted[i - permits])))
                    .min(Duration::compareTo)
                    .orElseThrow();
        }
    }
}
