package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.server.ZooKeeperServer;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Locks on three servers. */
@Tag(Effort.FULL)
@Timeout(600)
class EnsembleIT {

    /**
     * A hold is in doubt after half of it. In the other half, servers start and elect a leader: a client that reaches
     * none until its end gives the session up, and loses the hold.
     */
    private static final Duration SESSION = Duration.ofSeconds(40);

    /** Nothing is renewed during the outage. */
    private static final Duration LEASE = SESSION.multipliedBy(3);

    private static List<ZooKeeperServer> servers = List.of();

    private final List<AutoCloseable> open = new ArrayList<>();

    @BeforeAll
    static void startServers() {
        servers = ZooKeeperServer.startEnsemble(3, "tickTime=1000", ZooKeeperServers.SESSIONS);
    }

    @AfterAll
    static void stopServers() {
        servers.forEach(ZooKeeperServer::close);
    }

    @AfterEach
    void stop() throws Exception {
        for (AutoCloseable each : open) {
            each.close();
        }
        for (ZooKeeperServer server : servers) {
            if (!server.answers()) {
                server.restart();
            }
        }
    }

    @Test
    void excludesAcrossTheServersOfAnEnsemble() {
        CriticalSection section = new CriticalSection();
        List<Application> applications = servers.stream()
                .map(each -> application(each.address(), ZooKeeperClients.SESSION))
                .toList();
        AtomicInteger next = new AtomicInteger();

        Crowd.of(6).eachRuns(20, () -> {
            Application application = applications.get(next.getAndIncrement() % applications.size());
            try (LockHandle lock = application.locks().acquire("one-at-a-time")) {
                section.run(lock.fencingToken());
            }
        });

        section.assertExclusive(120);
    }

    @Test
    void aHoldIsInDoubtWithoutAMajorityAndCertainAgainWithIt() throws Exception {
        Application application = application(addresses(), SESSION);
        LockHandle held = application.locks().acquire("majority");
        assertThat(held.isHeld()).isTrue();

        servers.get(0).kill();
        servers.get(1).kill();
        assertThatThrownBy(() -> application.locks().acquire("another")).isInstanceOf(LockBackendException.class);
        await().until(() -> held.state() == HoldState.IN_DOUBT);
        servers.get(0).launch();
        servers.get(1).launch();

        await().until(held::isHeld);
        assertThat(application.events().of(LockEvent.Lost.class)).isEmpty();
        Application other = application(addresses(), SESSION);
        assertThat(other.locks().tryAcquire("majority")).isEmpty();
        held.close();
        other.locks().acquire("majority").close();
    }

    private String addresses() {
        return servers.stream().map(ZooKeeperServer::address).collect(Collectors.joining(","));
    }

    private Application application(String addresses, Duration session) {
        ZooKeeperLockBackend backend = ZooKeeperClients.backend(addresses, session);
        Application application = Application.over(backend, Application.settings(LEASE));
        open.add(application);
        open.add(backend);
        return application;
    }
}
