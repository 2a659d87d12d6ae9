package io.github.lockstarter.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.testing.ChildJvm;
import io.github.lockstarter.testing.Jdks;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Many threads wait for a lock in a JVM of their own. On the oldest JDK of this machine that has virtual threads, they are
 * such threads, and do not keep their carriers; where there is none, they are platform threads.
 */
class VirtualThreadsIT extends RedisScenario {

    @Test
    void waitWithoutPinningTheirCarriers() {
        Path home = Jdks.atLeast(21).orElse(Path.of(System.getProperty("java.home")));
        String port = Integer.toString(server().port());
        try (ChildJvm jvm = ChildJvm.start(home, List.of(), CrowdedJvm.class, port, key)) {
            String said = jvm.awaitLine(line -> line.startsWith("had the lock: "), Duration.ofSeconds(60));
            assertThat(said).isEqualTo("had the lock: " + CrowdedJvm.THREADS + ", pinned: 0");
            assertThat(jvm.awaitExit(Duration.ofSeconds(20))).isZero();
        }
    }
}
