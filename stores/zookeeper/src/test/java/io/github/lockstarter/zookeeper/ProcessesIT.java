package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.testing.Effort;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Locks of several processes. */
@Timeout(120)
class ProcessesIT {

    private static final int JVMS = 3;
    private static final int TIMES = 200;
    private static final Duration PATIENCE = Duration.ofMinutes(4);

    @TempDir
    private Path files;

    @Test
    void losesNoIncrementOfThreeProcesses() throws Exception {
        List<String> lines = new ArrayList<>();

        assertThat(count(true, lines)).isEqualTo((long) JVMS * TIMES);
        assertThat(lines).noneMatch(line -> line.startsWith("violation"));
    }

    @Test
    @Tag(Effort.FULL)
    void losesIncrementsWithoutTheLock() throws Exception {
        assertThat(count(false, new ArrayList<>())).isLessThan((long) JVMS * TIMES);
    }

    private long count(boolean locked, List<String> lines) throws Exception {
        Path file = Files.writeString(files.resolve("count"), "0 0");
        List<ChildJvm> children = new ArrayList<>();
        try (ZooKeeperServer server = ZooKeeperServers.start()) {
            for (int i = 0; i < JVMS; i++) {
                children.add(ChildJvm.start(
                        CountingJvm.class,
                        server.address(),
                        String.valueOf(locked),
                        file.toString(),
                        String.valueOf(TIMES)));
            }
            for (ChildJvm child : children) {
                child.awaitLine("done"::equals, PATIENCE);
                lines.addAll(child.lines());
            }
        } finally {
            children.forEach(ChildJvm::close);
        }
        String[] counted = Files.readString(file).split(" ", -1);
        return counted[0].isEmpty() ? 0 : Long.parseLong(counted[0]);
    }

    @Test
    @Tag(Effort.FULL)
    void acquiresAfterTheSessionTimeoutWhenTheHolderIsKilled() throws Exception {
        Duration session = Duration.ofSeconds(3);
        try (ZooKeeperServer server = ZooKeeperServers.start();
                ZooKeeperLockBackend backend = ZooKeeperClients.backend(server.address(), session);
                Application next = Application.over(backend);
                ChildJvm holder = ChildJvm.start(HoldingJvm.class, server.address(), session.toString())) {
            holder.awaitLine(line -> line.startsWith("held"), PATIENCE);
            LockRequest request = LockRequest.of(HoldingJvm.KEY).waitingUpTo(PATIENCE);

            long killed = System.nanoTime();
            holder.kill();
            try (LockHandle lock = next.locks().acquire(request)) {
                Duration waited = Duration.ofNanos(System.nanoTime() - killed);

                assertThat(lock.isHeld()).isTrue();
                // The server counts from the last message, up to an eighth before; it looks once each tick.
                assertThat(waited).isBetween(session.multipliedBy(3).dividedBy(4), session.plusSeconds(5));
            }
        }
    }
}
