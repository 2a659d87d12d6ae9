package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.redis.contract.RedisStore;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.testing.RedisCluster;
import io.github.lockstarter.redis.testing.RedisReplication;
import io.github.lockstarter.redis.testing.RedisSentinels;
import io.github.lockstarter.redis.testing.RedisServer;
import io.github.lockstarter.redis.testing.TcpProxy;
import io.github.lockstarter.redis.testing.TopologyExtension;
import io.lettuce.core.cluster.SlotHash;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;

/** With {@code min-replicas}, nobody is told of a grant that too few replicas have. */
@Timeout(60)
class ReplicaAcknowledgementIT {

    private static final Duration PATIENCE = Duration.ofSeconds(15);

    private final String key = "acknowledged:" + UUID.randomUUID();
    private final String lockKey = "lock:{" + key + "}";
    private RedisStore store;
    private Application application;

    private void connect(RedisStore wanted) {
        store = wanted;
        application = Application.over(store.connect());
    }

    @AfterEach
    void close() {
        application.close();
        store.close();
    }

    private void failsSaying(String count) {
        long start = System.nanoTime();
        assertThatThrownBy(() -> application.locks().acquire(key))
                .isInstanceOf(LockBackendException.class)
                .hasMessageContaining(key)
                .hasMessageContaining(count);
        assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(6));
    }

    private void isReleasedAt(RedisServer server) {
        await().untilAsserted(
                        () -> assertThat(server.commands().exists(lockKey)).isZero());
    }

    @Nested
    class MasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

        private final RedisStore servers = RedisStore.of(REDIS.topology());
        private final RedisServer master = REDIS.topology().master();
        private final List<RedisServer> replicas = REDIS.topology().replicas();

        @AfterEach
        void resume() {
            replicas.forEach(RedisServer::resume);
        }

        private void connect(int minReplicas) {
            ReplicaAcknowledgementIT.this.connect(servers.with(RedisStore.acknowledgedBy(minReplicas)));
        }

        /** All replicas, and more time than any of them takes. */
        private void connectPatiently() {
            RedisSettings patient =
                    new RedisSettings("lock:", Duration.ofSeconds(20), RedisSettings.Guard.guarding(Duration.ZERO), 2);
            ReplicaAcknowledgementIT.this.connect(servers.with(patient));
        }

        /** Holds back what the master tells a replica, which goes on thinking that it is connected. */
        private TcpProxy stall(RedisServer replica) {
            TcpProxy proxy = TcpProxy.before(master);
            replica.commands().replicaof(proxy.host(), proxy.port());
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(master.info("replication").get("connected_slaves"))
                            .isEqualTo("2"));
            await().atMost(PATIENCE)
                    .untilAsserted(() -> assertThat(master.info("replication").values())
                            .filteredOn(value -> value.contains("state=online"))
                            .hasSize(2));
            proxy.stallReplies();
            return proxy;
        }

        @Test
        void grantsWhatAllReplicasHave() {
            connect(2);
            for (int i = 0; i < 20; i++) {
                try (LockHandle lock = application.locks().acquire(key)) {
                    assertThat(lock.isHeld()).isTrue();
                    String token = master.commands().get(lockKey);
                    assertThat(token).isNotNull();
                    assertThat(replicas)
                            .allSatisfy(replica ->
                                    assertThat(replica.commands().get(lockKey)).isEqualTo(token));
                }
            }
        }

        @Test
        void grantsWhatNoReplicaHasWithoutThePolicy() {
            try (TcpProxy one = stall(replicas.get(0));
                    TcpProxy other = stall(replicas.get(1))) {
                connect(0);
                LockHandle lock = application.locks().acquire(key);
                assertThat(replicas)
                        .allSatisfy(replica ->
                                assertThat(replica.commands().get(lockKey)).isNull());
                lock.close();
                assertThat(one.connections() + other.connections()).isEqualTo(2);
            }
        }

        @Test
        void failsAndReleasesWhereReplicationIsHeldUp() {
            connect(1);
            application.locks().acquire("before").close();
            try (TcpProxy one = stall(replicas.get(0));
                    TcpProxy other = stall(replicas.get(1))) {
                failsSaying("0 of the 1 replicas");
                isReleasedAt(master);
                one.flow();
                other.flow();
                await().atMost(PATIENCE)
                        .ignoreExceptionsInstanceOf(LockBackendException.class)
                        .untilAsserted(() -> application.locks().acquire(key).close());
            }
        }

        @Test
        void needsNoMoreReplicasThanAskedFor() {
            replicas.get(0).pause();
            connect(1);
            application.locks().acquire(key).close();
        }

        @Test
        void countsTheReplicasThatDidNotAnswer() {
            replicas.get(0).pause();
            connect(2);
            failsSaying("1 of the 2 replicas");
            isReleasedAt(master);
        }

        @Test
        void keepsNoOtherCommandWaiting() {
            connectPatiently();
            LockHandle held = application.locks().acquire("other");
            replicas.get(0).pause();
            CompletableFuture<LockHandle> waiting = application.locks().acquireAsync(LockRequest.of(key));
            await().until(() -> master.commands().clientList().contains("cmd=wait"));
            held.extend(Duration.ofSeconds(20));
            held.close();
            assertThat(waiting).isNotDone();
            replicas.get(0).resume();
            waiting.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().close();
        }

        @Test
        void isAcknowledgedTogetherWithWhatIsGrantedAtTheSameTime() {
            connectPatiently();
            application.locks().acquire(key).close();
            long before = waits();
            List<CompletableFuture<LockHandle>> all = IntStream.range(0, 300)
                    .mapToObj(i -> application.locks().acquireAsync(LockRequest.of(key + i)))
                    .toList();
            all.forEach(one ->
                    one.orTimeout(PATIENCE.toSeconds(), TimeUnit.SECONDS).join().close());
            assertThat(waits() - before).isLessThan(150);
        }

        private long waits() {
            String calls = master.info("commandstats").get("cmdstat_wait");
            return Long.parseLong(calls.substring(calls.indexOf('=') + 1, calls.indexOf(',')));
        }

        @Test
        void failsWhenItsConnectionBreaksWhileItWaits() {
            try (TcpProxy proxy = TcpProxy.before(master)) {
                ReplicaAcknowledgementIT.this.connect(RedisStore.behind(proxy).with(RedisStore.acknowledgedBy(2)));
                application.locks().acquire("before").close();
                replicas.forEach(RedisServer::pause);
                CompletableFuture<LockHandle> waiting = application.locks().acquireAsync(LockRequest.of(key));
                await().until(() -> master.commands().clientList().contains("cmd=wait"));
                proxy.cut();
                assertThat(waiting).failsWithin(PATIENCE);
                isReleasedAt(master);
            }
        }

        @Test
        void failsTheStartIfThereAreTooFew() {
            connect(3);
            assertThatThrownBy(() -> store.start()).hasMessageContaining("2 of the 3 replicas");
        }
    }

    @Nested
    class Sentinel {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

        @Test
        void grantsWhatReplicasHaveAlsoAfterAFailover() {
            connect(RedisStore.of(REDIS.topology()).with(RedisStore.acknowledgedBy(1)));
            application.locks().acquire(key).close();
            REDIS.topology().failOver();
            await().atMost(PATIENCE)
                    .ignoreExceptionsInstanceOf(LockBackendException.class)
                    .untilAsserted(() -> application.locks().acquire(key).close());
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

        @Test
        void asksTheReplicasOfTheMasterThatHasTheLock() {
            connect(RedisStore.of(REDIS.topology()).with(RedisStore.acknowledgedBy(1)));
            RedisServer master = REDIS.topology().masterOf(lockKey);
            RedisServer replica = REDIS.topology().replicaOf(master);
            LockHandle lock = application.locks().acquire(key);
            // The lock, and the counter and the marker of the slot.
            assertThat(replica.commands().clusterCountKeysInSlot(SlotHash.getSlot(lockKey)))
                    .isEqualTo(3);
            lock.close();
            replica.pause();
            failsSaying("0 of the 1 replicas");
            isReleasedAt(master);
            IntStream.range(0, 20)
                    .mapToObj(i -> "other:" + i)
                    .filter(other -> REDIS.topology().masterOf("lock:{" + other + "}") != master)
                    .forEach(other -> application.locks().acquire(other).close());
        }
    }
}
