package io.github.lockstarter.redis.scenario;

import static java.time.Duration.ofMillis;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.OverlapDetector;
import io.github.lockstarter.testing.OverlapDetector.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Competing JVMs, and recovery after one is killed. */
class MultipleJvmsIT extends RedisScenario {

    private static final int JVMS = 3;
    private static final int THREADS = 8;
    private static final int INCREMENTS = Effort.of(40, 125);

    @Test
    void losesNoIncrementOfThreeJvmsWithEightThreadsEach() {
        OverlapDetector sections = incrementIn(IncrementingJvm.LOCKED);

        assertThat(sections.count()).isEqualTo(JVMS * THREADS * INCREMENTS);
        assertThat(sections.overlaps()).isEmpty();
        assertThat(sections.fencingViolations()).isEmpty();
        assertThat(redis().get(key)).isEqualTo(Integer.toString(JVMS * THREADS * INCREMENTS));
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void findsOverlapsAndLostIncrementsWithoutTheLock() {
        OverlapDetector sections = incrementIn(IncrementingJvm.UNLOCKED);

        assertThat(sections.count()).isEqualTo(JVMS * THREADS * INCREMENTS);
        assertThat(sections.overlaps()).isNotEmpty();
        assertThat(Integer.parseInt(redis().get(key))).isLessThan(JVMS * THREADS * INCREMENTS);
    }

    private OverlapDetector incrementIn(String mode) {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < JVMS; i++) {
                children.add(ChildJvm.start(
                        IncrementingJvm.class,
                        Integer.toString(server().port()),
                        key,
                        mode,
                        Integer.toString(THREADS),
                        Integer.toString(INCREMENTS)));
            }
            OverlapDetector sections = new OverlapDetector();
            for (ChildJvm child : children) {
                child.awaitLine("done"::equals, Patience.TIME.multipliedBy(2));
                child.lines().stream()
                        .filter(line -> line.startsWith("section "))
                        .forEach(line -> sections.record(section(child, line)));
            }
            return sections;
        } finally {
            children.forEach(ChildJvm::close);
        }
    }

    private static Section section(ChildJvm child, String line) {
        String[] fields = line.split(" ", -1);
        return new Section(
                "JVM " + child.pid(), Long.parseLong(fields[1]), Long.parseLong(fields[2]), Long.parseLong(fields[3]));
    }

    @Test
    @Tag(Effort.FULL)
    void servesTheNextWaiterWhenTheFirstIsKilled() {
        Application owner = newApplication();
        Application next = warmedUp(newApplicationThatTrustsSignals());
        LockHandle held = owner.locks().acquire(request);
        try (ChildJvm first = holding(LONG_LEASE)) {
            await().atMost(Patience.TIME).until(() -> redis().zcard(waitersKey) == 1);
            Future<Long> waiter = elsewhere(() -> {
                try (LockHandle lock = next.locks().acquire(request)) {
                    return lock.fencingToken();
                }
            });
            await().atMost(Patience.TIME).until(() -> redis().zcard(waitersKey) == 2);

            first.kill();
            assertThat(held.release()).isEqualTo(ReleaseOutcome.RELEASED);

            assertThat(waiter).succeedsWithin(Patience.TIME).satisfies(fencingToken -> assertThat(fencingToken)
                    .isGreaterThan(held.fencingToken()));
        }
        assertNothingLeft();
    }

    @Test
    @Tag(Effort.FULL)
    void aJvmThatIsStoppedLongerThanItsLeaseLosesTheLock() {
        Duration shortLease = ofMillis(900);
        Application heir = warmedUp(newApplication());
        try (ChildJvm holder = holding(shortLease)) {
            holder.awaitLine("held"::equals, Patience.TIME);
            holder.pause();
            LockHandle lock = heir.locks().acquire(request.waitingUpTo(Patience.TIME));
            holder.resume();

            await().during(shortLease).untilAsserted(() -> {
                assertThat(lock.isHeld()).isTrue();
                assertThat(redis().get(lockKey)).isNotNull();
            });
            assertThat(lock.release()).isEqualTo(ReleaseOutcome.RELEASED);
        }
        assertNothingLeft();
    }

    private ChildJvm holding(Duration lease) {
        return HoldingJvm.start(server(), key, lease, EngineSettings.DEFAULTS.crashTakeOver());
    }
}
