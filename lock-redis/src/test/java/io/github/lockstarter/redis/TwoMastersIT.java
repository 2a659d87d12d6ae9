package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.BackendUser.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.settings.RedisSettings;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Static nodes of which two report the role of the master: no instance uses either of them. */
@Timeout(300)
class TwoMastersIT {

    @RegisterExtension
    static final TopologyExtension<RedisReplication> REPLICATION = TopologyExtension.replication();

    private static final Duration LEASE = Duration.ofMinutes(2);
    private static final Duration PULSE = Duration.ofMillis(500);
    private static final RedisSettings SETTINGS =
            new RedisSettings("lock:", Duration.ofSeconds(20), RedisSettings.HistoryGuard.of(LEASE));

    private final String key = "two-masters:" + UUID.randomUUID();
    private final Deque<AutoCloseable> resources = new ArrayDeque<>();
    private final List<RedisServer> servers = REPLICATION.topology().servers();
    private final RedisServer first = servers.get(0);
    private final RedisServer second = servers.get(1);

    @AfterEach
    void close() throws Exception {
        while (!resources.isEmpty()) {
            resources.pop().close();
        }
    }

    @Test
    void refusesToStart() {
        second.promote();

        assertThatThrownBy(() -> backend().start()).isInstanceOfSatisfying(RedisUnavailableException.class, refusal -> {
            assertThat(refusal).hasMessageContaining("%s and %s report", first.address(), second.address());
            assertThat(refusal.remedy()).contains("REPLICAOF");
        });
    }

    @Test
    void reportsThemInHealthUntilOneIsDemoted() {
        second.promote();
        RedisLockBackend backend = backend();

        assertThat(failure(backend))
                .hasValueSatisfying(failure -> assertThat(failure).contains(first.address(), second.address()));

        second.follow(first);
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(failure(backend)).isEmpty());
    }

    @Test
    void stopsAnInstanceThatIsConnectedToOneOfThemAndKeepsItsLocks() {
        Application application = connected();
        application.awaitTakeover(); // otherwise doubt begins after half of the lease
        LockHandle held = application.locks().acquire(key);

        second.promote();

        awaitRefusal(application);
        await().atMost(Patience.TIME).until(() -> held.state() == HoldState.IN_DOUBT);
        second.follow(first);
        await().atMost(Patience.TIME).until(held::isHeld);
    }

    /** An instance that was connected to it finds it again by the client's own reconnect, which asks for no role. */
    @Test
    void grantsNothingBesideTheOwnerWhenTheOldMasterReturns() {
        Application waiting = connected();
        first.kill();
        second.promote();
        Application application = connected();
        LockRequest request = LockRequest.of(key).withoutWaiting();
        assertThatThrownBy(() -> application.locks().tryAcquire(request))
                .isInstanceOf(LockStoreRecoveringException.class);

        first.restart();

        awaitRefusal(application);
        awaitRefusal(waiting);
    }

    private void awaitRefusal(Application application) {
        LockRequest request = LockRequest.of("another").withoutWaiting();
        await().atMost(Patience.TIME).untilAsserted(() -> assertThatThrownBy(
                        () -> application.locks().tryAcquire(request).ifPresent(LockHandle::close))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining("report that they are the master"));
    }

    private static Optional<String> failure(RedisLockBackend backend) {
        return answer(backend.state()).failure();
    }

    private Application connected() {
        RedisLockBackend backend = backend();
        Application application = Application.over(backend, Application.settings(LEASE));
        resources.push(application);
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThat(failure(backend)).isEmpty());
        return application;
    }

    private RedisLockBackend backend() {
        RedisConnector connector = DirectRedisConnector.toMasterAmong(
                servers.stream().map(RedisServer::uri).toList(), SETTINGS);
        RedisLockBackend backend =
                new RedisLockBackend(connector, SETTINGS, new RedisConnections(connector, SETTINGS, PULSE));
        resources.push(backend);
        return backend;
    }
}
