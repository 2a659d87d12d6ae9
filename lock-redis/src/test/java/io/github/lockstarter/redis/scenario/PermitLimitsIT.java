package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Number of concurrent holders of a lock with several permits, for any limits of the callers. */
class PermitLimitsIT extends RedisScenario {

    private static final int THREADS = 4;
    private static final int SECTIONS_OF_EACH = Effort.of(20, 300);

    private final List<ChildJvm> jvms = new ArrayList<>();

    /** No answer may time out, however long a busy machine takes. */
    @Override
    RedisSettings settings() {
        return RedisStore.patient(ofSeconds(2));
    }

    /** Limits are equal, then too high in one instance, different in all of them, and lowered, while all work. */
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

    /** Until each instance was served often in a round, and so many callers had the lock at a time, and never more. */
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
            assertThat(asked).extracting(each -> at(each.from, asked).size()).contains(most);
            assertThat(asked).extracting(each -> at(each.from, asked).size()).allMatch(holders -> holders <= most);
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
        all.stream().sorted((one, other) -> Long.compare(one.from, other.from)).forEach(each -> {
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

    /** A slot is kept for its minimum time, so that a window of that length never has more starts than permits. */
    @Test
    @Tag(Effort.FULL)
    void startsAtMostAsManyCallsAsPermitsPerWindow() throws Exception {
        Duration window = ofMillis(300);
        assertThat(shortestWindow(window)).isGreaterThanOrEqualTo(window.minusMillis(1));
    }

    /** The control: without the minimum time, the same callers start sooner. */
    @Test
    @Tag(Effort.TIMING)
    void startsMoreCallsPerWindowWithoutTheMinimumTime() throws Exception {
        assertThat(shortestWindow(Duration.ZERO)).isLessThan(ofMillis(300 / 2));
    }

    /** The shortest time, by the clock of the server, in which one more call than there are permits has started. */
    private Duration shortestWindow(Duration minimum) throws Exception {
        int permits = 4;
        LockRequest start = request.permits(permits)
                .ownedByHandle()
                .leasedFor(ofSeconds(20))
                .waitingUpTo(Patience.TIME)
                .keptFor(minimum.isZero() ? ofMillis(1) : minimum);
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
