package io.github.lockstarter.autoconfigure.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.redis.RedisCluster;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisSentinels;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.testing.Effort;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application's {@code spring.data.redis.*} is all that the locks need, on every topology. */
@Tag(Effort.FULL)
class TopologyApplicationIT {

    private static final String[] LOGIN = {"spring.data.redis.username=app", "spring.data.redis.password=s3cret"};

    /** The line of docs/operations.md. */
    private static final String LEAST_RIGHTS =
            "~lock:* resetchannels &lock:* -@all +hello +auth +ping +select +client|setname"
                    + " +evalsha +eval +get +mget +set +incrby +del +exists +pexpire +pttl +time +info +zadd +zrem +zscore +zcard"
                    + " +hset +hmget +hgetall +hdel +zpopmin +zrangebyscore +publish +subscribe +unsubscribe +pubsub|numsub";

    static class OrderService {

        @DistributedLock(name = "order", key = "#orderId", maxWaitMs = 0)
        public void ship(long orderId, Runnable meanwhile) {
            meanwhile.run();
        }
    }

    private static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withBean(OrderService.class)
                .withPropertyValues("distributed-lock.lease=10s", RedisApplication.PATIENT)
                .withPropertyValues(properties);
    }

    /** Servers that an earlier test promoted, and that lost its data, grant nothing for a lease. */
    private static void awaitGrace(OrderService service, long order) {
        await().ignoreExceptionsInstanceOf(LockStoreRecoveringException.class)
                .untilAsserted(() -> service.ship(order, () -> {}));
    }

    private static void excludesAnotherInstance(ApplicationContextRunner application) {
        application.run(one -> {
            assertThat(one).hasNotFailed();
            application.run(other -> {
                OrderService there = other.getBean(OrderService.class);
                for (long i = 0; i < 6; i++) {
                    long order = i;
                    awaitGrace(there, order);
                    one.getBean(OrderService.class)
                            .ship(order, () -> assertThatThrownBy(() -> there.ship(order, () -> {}))
                                    .isInstanceOf(LockNotAcquiredException.class));
                    there.ship(order, () -> {});
                }
                try (LockHandle lock = one.getBean(LockTemplate.class).acquire("stock")) {
                    assertThat(lock.isHeld()).isTrue();
                }
            });
        });
    }

    private static void createUser(Stream<RedisServer> servers, String rights) {
        String[] rules = ("reset on >s3cret " + rights).split(" ");
        servers.forEach(server -> server.setUser("app", rules));
    }

    @Nested
    class Sentinel {

        @RegisterExtension
        static final TopologyExtension<RedisSentinels> REDIS = TopologyExtension.sentinels();

        private final String[] nodes = {
            "spring.data.redis.sentinel.master=" + RedisSentinels.MASTER,
            "spring.data.redis.sentinel.nodes=" + REDIS.topology().nodes()
        };

        @Test
        void warnsThatADeposedMasterMayKeepWritingUnlessItsLimitIsConfigured() {
            application(nodes).run(context -> assertThat(
                            context.getBean(RedisLockBackend.class).warnings())
                    .singleElement()
                    .asString()
                    .contains("the master of sentinels", "deposed-master-writes is 0s", "min-replicas-max-lag"));
            application(nodes)
                    .withPropertyValues("distributed-lock.redis.deposed-master-writes=500ms")
                    .run(context -> assertThat(
                                    context.getBean(RedisLockBackend.class).warnings())
                            .hasSize(RedisServer.isBefore(6, 2) ? 1 : 0));
        }

        @Test
        void needsNoMoreRightsThanDocumented() {
            assumeThat(RedisServer.isBefore(6, 2)).isFalse();
            createUser(REDIS.topology().servers().stream(), LEAST_RIGHTS);
            createUser(
                    REDIS.topology().sentinels().stream(),
                    "-@all +hello +auth +ping +client|setname +sentinel|get-master-addr-by-name");
            excludesAnotherInstance(application(nodes)
                    .withPropertyValues(LOGIN)
                    .withPropertyValues(
                            "spring.data.redis.sentinel.username=app", "spring.data.redis.sentinel.password=s3cret"));
        }
    }

    @Nested
    class Cluster {

        @RegisterExtension
        static final TopologyExtension<RedisCluster> REDIS = TopologyExtension.cluster();

        private final String nodes =
                "spring.data.redis.cluster.nodes=" + REDIS.topology().addresses();

        @Test
        void needsNoMoreRightsThanDocumented() {
            createUser(REDIS.topology().servers().stream(), LEAST_RIGHTS + " +cluster|nodes +asking");
            excludesAnotherInstance(application(nodes).withPropertyValues(LOGIN));
        }
    }

    @Nested
    class Shards {

        @RegisterExtension
        static final RedisExtension REDIS = new RedisExtension("--cluster-enabled", "yes");

        @Test
        void needsNoMoreRightsThanDocumented() {
            REDIS.server().serveAllSlots();
            createUser(Stream.of(REDIS.server()), LEAST_RIGHTS);
            excludesAnotherInstance(
                    application("spring.data.redis.port=" + REDIS.server().port())
                            .withPropertyValues(LOGIN));
        }
    }

    @Nested
    class MasterAndReplicas {

        @RegisterExtension
        static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

        /** The master is last, so that it must be detected. */
        private final String nodes = "spring.data.redis.masterreplica.nodes="
                + Stream.concat(
                                REDIS.topology().replicas().stream(),
                                Stream.of(REDIS.topology().master()))
                        .map(server -> server.host() + ":" + server.port())
                        .collect(Collectors.joining(","));

        @Test
        void needsNoMoreRightsThanDocumented() {
            createUser(REDIS.topology().servers().stream(), LEAST_RIGHTS + " +role");
            excludesAnotherInstance(application(nodes).withPropertyValues(LOGIN));
        }
    }

    @Nested
    class Tls {

        @Test
        void excludesAndChecksTheCertificate() {
            try (TlsFiles files = TlsFiles.create();
                    RedisServer redis = RedisServer.startTls(files)) {
                String port = "spring.data.redis.port=" + redis.tlsPort();
                excludesAnotherInstance(application(
                        port,
                        "spring.data.redis.ssl.bundle=redis",
                        "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + files.certificate()));
                application(port, "spring.data.redis.ssl.enabled=true")
                        .run(context -> assertThat(context).hasFailed());
            }
        }
    }
}
