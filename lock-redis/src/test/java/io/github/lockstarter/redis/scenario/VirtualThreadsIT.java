package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Many threads wait for a lock in a JVM of their own. On the oldest JDK of this machine that has virtual threads, they
 * are such threads, and do not keep their carriers; where there is none, they are platform threads.
 */
class VirtualThreadsIT extends RedisScenario {

    @Test
    void virtualThreadsWaitWithoutPinningTheirCarriers() {
        assertTurnsWithoutPinning(Jdks.atLeast(21).orElse(Jdks.own()), List.of(), 500, 1);
    }

    /** On the newest JDK of this machine. */
    @Test
    @Tag(Effort.FULL)
    void thousandsOfVirtualThreadsTakeTurnsOnTwoCarriers() {
        Path home = Jdks.newest();
        assumeThat(Jdks.featureOf(home)).as("JDK with virtual threads").isGreaterThanOrEqualTo(21);
        List<String> twoCarriers =
                List.of("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2");
        assertTurnsWithoutPinning(home, twoCarriers, 5_000, 100);
    }

    private void assertTurnsWithoutPinning(Path home, List<String> flags, int threads, int keys) {
        String port = Integer.toString(server().port());
        try (ChildJvm jvm = ChildJvm.start(
                home, flags, CrowdedJvm.class, port, key, Integer.toString(threads), Integer.toString(keys))) {
            String said = jvm.awaitLine(line -> line.startsWith("had the lock: "), Patience.TIME);
            assertThat(said).isEqualTo("had the lock: " + threads + ", pinned: 0");
            assertThat(jvm.awaitExit(Patience.TIME)).isZero();
        }
    }
}
