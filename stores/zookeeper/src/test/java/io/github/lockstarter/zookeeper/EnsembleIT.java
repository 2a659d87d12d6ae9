package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.apache.curator.test.InstanceSpec;
import org.apache.curator.test.TestingCluster;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks on three servers. */
@Timeout(90)
class EnsembleIT {

    private static final Duration PATIENCE = Duration.ofSeconds(40);

    /** Longer than an election and a restart of servers take. */
    private static final Duration SESSION = Duration.ofSeconds(12);

    private static final int TICK_MILLIS = 1_000;

    private final List<InstanceSpec> specs =
            Stream.generate(() -> ZooKeeperServers.spec(TICK_MILLIS)).limit(3).toList();
    private final TestingCluster cluster = new TestingCluster(specs);
    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeEach
    void start() throws Exception {
        cluster.start();
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        cluster.close();
    }

    @Test
    void runsOneAtATimeWhicheverServerAnInstanceIsConnectedTo() {
        CriticalSection section = new CriticalSection();
        List<Application> applications = specs.stream()
                .map(each -> application(each.getHostname() + ":" + each.getPort(), Duration.ofSeconds(4)))
                .toList();
        AtomicInteger next = new AtomicInteger();

        Crowd.of(6).eachRuns(50, () -> {
            Application application = applications.get(next.getAndIncrement() % applications.size());
            try (LockHandle lock = application.locks().acquire("one-at-a-time")) {
                section.run(lock.fencingToken());
            }
        });

        section.assertExclusive(300);
    }

    @Test
    void isInDoubtWithoutAMajorityAndComesBackWithIt() throws Exception {
        Application application = application(cluster.getConnectString(), SESSION);
        LockHandle held = application.locks().acquire("majority");
        assertThat(held.isHeld()).isTrue();

        cluster.killServer(specs.get(0));
        cluster.killServer(specs.get(1));
        assertThatThrownBy(() -> application.locks().acquire("another")).isInstanceOf(LockBackendException.class);
        await().atMost(PATIENCE).until(() -> held.state() == HoldState.IN_DOUBT);
        cluster.restartServer(specs.get(0));
        cluster.restartServer(specs.get(1));

        await().atMost(PATIENCE).until(held::isHeld);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
        Application other = application(cluster.getConnectString(), SESSION);
        assertThat(other.locks().tryAcquire("majority")).isEmpty();
        held.close();
        other.locks().acquire("majority").close();
    }

    private Application application(String servers, Duration session) {
        ZooKeeperLockBackend backend = ZooKeeperClients.backend(servers, session);
        Application application = Application.over(backend);
        open.add(application);
        open.add(backend);
        return application;
    }
}
