package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Path;
import java.time.Duration;
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
        Path home = Jdks.atLeast(21).orElse(Jdks.own());
        String port = Integer.toString(server().port());
        try (ChildJvm jvm = ChildJvm.start(home, List.of(), CrowdedJvm.class, port, key)) {
            String said = jvm.awaitLine(line -> line.startsWith("had the lock: "), Duration.ofSeconds(60));
            assertThat(said).isEqualTo("had the lock: " + CrowdedJvm.THREADS + ", pinned: 0");
            assertThat(jvm.awaitExit(Duration.ofSeconds(20))).isZero();
        }
    }

    /** On the newest JDK of this machine. */
    @Test
    @Tag(Effort.FULL)
    void thousandsOfVirtualThreadsTakeTurnsOnTwoCarriers() {
        Path home = Jdks.newest();
        assumeThat(Jdks.featureOf(home)).as("JDK with virtual threads").isGreaterThanOrEqualTo(21);
        List<String> twoCarriers =
                List.of("-Djdk.virtualThreadScheduler.parallelism=2", "-Djdk.virtualThreadScheduler.maxPoolSize=2");
        String port = Integer.toString(server().port());
        try (ChildJvm jvm = ChildJvm.start(home, twoCarriers, VirtualCrowdJvm.class, port, key)) {
            int sections = VirtualCrowdJvm.THREADS * VirtualCrowdJvm.SECTIONS_EACH;
            assertThat(jvm.awaitLine(line -> line.matches("sections: .*|stuck .*"), Duration.ofSeconds(85)))
                    .isEqualTo("sections: " + sections + ", held: 0");
        }
    }
}
