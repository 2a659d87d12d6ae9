package io.github.lockstarter.etcd;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.testing.Effort;
import io.github.lockstarter.testing.OverlapDetector;
import io.github.lockstarter.testing.OverlapDetector.Section;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Competing JVMs, and recovery after one is killed. */
class EtcdJvmsIT extends EtcdScenario {

    private static final int JVMS = 3;
    private static final int THREADS = 8;
    private static final int INCREMENTS = 125;

    @Test
    void losesNoIncrementOfThreeJvmsWithEightThreadsEach() {
        OverlapDetector sections = incrementIn(IncrementingJvm.LOCKED);

        assertThat(sections.count()).isEqualTo(JVMS * THREADS * INCREMENTS);
        assertThat(sections.overlaps()).isEmpty();
        assertThat(sections.fencingViolations()).isEmpty();
        assertThat(IncrementingJvm.counted(client, key)).isEqualTo(JVMS * THREADS * INCREMENTS);
        await().atMost(Patience.TIME).untilAsserted(() -> assertThat(keys()).isZero());
    }

    @Test
    @Tag(Effort.FULL)
    void findsOverlapsAndLostIncrementsWithoutTheLock() {
        OverlapDetector sections = incrementIn(IncrementingJvm.UNLOCKED);

        assertThat(sections.count()).isEqualTo(JVMS * THREADS * INCREMENTS);
        assertThat(sections.overlaps()).isNotEmpty();
        assertThat(IncrementingJvm.counted(client, key)).isLessThan(JVMS * THREADS * INCREMENTS);
    }

    private OverlapDetector incrementIn(String mode) {
        List<ChildJvm> children = new ArrayList<>();
        try {
            for (int i = 0; i < JVMS; i++) {
                children.add(ChildJvm.start(
                        IncrementingJvm.class,
                        server.endpoint(),
                        key,
                        mode,
                        Integer.toString(THREADS),
                        Integer.toString(INCREMENTS)));
            }
            OverlapDetector sections = new OverlapDetector();
            for (ChildJvm child : children) {
                child.awaitLine("done"::equals, ofSeconds(80));
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
    void acquiresAtTheEndOfTheLeaseWhenTheHolderIsKilled() throws Exception {
        Duration lease = ofSeconds(10);
        Application heir = newApplication(Application.settingsThatTrustSignals());
        try (ChildJvm holder =
                ChildJvm.start(HoldingJvm.class, server.endpoint(), key, Long.toString(lease.toMillis()))) {
            String held = holder.awaitLine(line -> line.startsWith("held "), Patience.TIME);
            Thread.sleep(lease.plus(ofSeconds(1)).toMillis()); // longer than the lease, which its holder renews
            assertThat(heir.locks().tryAcquire(key)).as("renewed by its holder").isEmpty();

            holder.kill();
            try (LockHandle lock = heir.locks().acquire(LockRequest.of(key).waitingUpTo(Patience.TIME))) {
                assertThat(lock.fencingToken()).isGreaterThan(Long.parseLong(held.substring("held ".length())));
            }
        }
    }
}
