package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.OverlapDetector;
import io.github.lockstarter.testing.OverlapDetector.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Three JVMs that hand a lock over, each among its threads; one is killed and one stopped while they do. */
class HandOverJvmsIT extends RedisScenario {

    private static final int THREADS = 8;
    private static final Duration LEASE = ofMillis(1500);

    private final FencedJvm.Store store = new FencedJvm.Store(key);

    /**
     * The controls are the number without a fencing token, and sections that end after their lease: the same run shows
     * the effect of the stopped JVM after its lease.
     */
    @Test
    @Tag(Effort.FULL)
    void losesNoFencedWriteWhenOneJvmIsKilledAndAnotherStoppedInTheMiddleOfItsRow() throws Exception {
        try (ChildJvm killed = jvm(FencedJvm.STALLS);
                ChildJvm stopped = jvm(FencedJvm.STALLS);
                ChildJvm survivor = jvm(FencedJvm.RUNS)) {
            List<ChildJvm> all = List.of(killed, stopped, survivor);
            Future<Duration> takenOver = elsewhere(() -> kill(killed, all));
            String late = fencingToken(stopLongerThanTheLease(stopped, List.of(killed, survivor)));
            assertThat(takenOver.get(Patience.SECONDS, TimeUnit.SECONDS)).isLessThan(LEASE.plus(ofSeconds(5)));
            awaitSectionsOf(survivor, 100);
            awaitSectionsOf(stopped, 100);
            redis().set(store.enough(), "yes");
            stopped.awaitLine("done"::equals, Patience.TIME);
            survivor.awaitLine("done"::equals, Patience.TIME);

            assertThat(stopped.lines()).as("the late write").contains("refused " + late);
            assertThat(stopped.lines()).filteredOn(("lost " + late)::equals).hasSize(1);
            assertThat(all).allSatisfy(jvm -> assertThat(jvm.lines())
                    .filteredOn(line -> line.startsWith("lost "))
                    .doesNotHaveDuplicates());
            OverlapDetector whileHeld = sections(all, 2);
            assertThat(whileHeld.overlaps()).isEmpty();
            assertThat(whileHeld.fencingViolations()).isEmpty();
            assertThat(sections(all, 3).overlaps()).as("control").isNotEmpty();
            assertWrites();
        }
        assertOnlyFencesLeft();
    }

    private ChildJvm jvm(String mode) {
        return ChildJvm.start(
                FencedJvm.class,
                Integer.toString(server().port()),
                key,
                mode,
                Integer.toString(THREADS),
                Long.toString(LEASE.toMillis()));
    }

    private static String fencingToken(String stalled) {
        return stalled.substring("stalled ".length());
    }

    private static String awaitStall(ChildJvm jvm) {
        return jvm.awaitLine(line -> line.startsWith("stalled "), Patience.TIME);
    }

    /** Returns the time until another JVM had the lock. */
    private static Duration kill(ChildJvm jvm, List<ChildJvm> all) {
        awaitStall(jvm);
        jvm.kill();
        long killedAt = System.nanoTime();
        return Duration.ofNanos(awaitSectionAfter(killedAt, all) - killedAt);
    }

    /** Grants of other owners prove that it was long enough. */
    private String stopLongerThanTheLease(ChildJvm jvm, List<ChildJvm> others) {
        String stalled = awaitStall(jvm);
        jvm.pause();
        awaitSectionAfter(System.nanoTime(), others);
        redis().set(store.goOn(), "yes");
        jvm.resume();
        return stalled;
    }

    private static long awaitSectionAfter(long moment, List<ChildJvm> jvms) {
        List<Long> found = new ArrayList<>();
        await().pollInterval(ofMillis(20)).atMost(Patience.TIME).until(() -> {
            jvms.stream()
                    .flatMap(HandOverJvmsIT::sectionLines)
                    .map(line -> Long.parseLong(line.split(" ", -1)[1]))
                    .filter(from -> from - moment > 0)
                    .min(Long::compare)
                    .ifPresent(found::add);
            return !found.isEmpty();
        });
        return found.get(0);
    }

    private static void awaitSectionsOf(ChildJvm jvm, int more) {
        long before = sectionLines(jvm).count();
        await().atMost(Patience.TIME).until(() -> sectionLines(jvm).count() >= before + more);
    }

    private static Stream<String> sectionLines(ChildJvm jvm) {
        return jvm.lines().stream().filter(line -> line.startsWith("section "));
    }

    /** Sections under the lock; {@code end} is the index of the field with their end. */
    private static OverlapDetector sections(List<ChildJvm> jvms, int end) {
        OverlapDetector sections = new OverlapDetector();
        for (ChildJvm jvm : jvms) {
            sectionLines(jvm).map(line -> line.split(" ", -1)).forEach(fields -> {
                long until = Long.parseLong(fields[end]);
                sections.record(
                        new Section("JVM " + jvm.pid(), Long.parseLong(fields[1]), until, Long.parseLong(fields[4])));
            });
        }
        return sections;
    }

    private void assertWrites() {
        List<Long> writes = redis().lrange(store.writes(), 0, -1).stream()
                .map(Long::valueOf)
                .toList();
        assertThat(writes).isSorted().doesNotHaveDuplicates();
        assertThat(redis().get(store.fenced())).isEqualTo(Integer.toString(writes.size()));
        // The write that was refused counts here: had no write been lost, this were one more.
        assertThat(Long.parseLong(redis().get(store.unfenced()))).as("control").isLessThanOrEqualTo(writes.size());
        System.out.println("Writes of JVMs of which one was killed and one stopped: " + writes.size());
    }
}
