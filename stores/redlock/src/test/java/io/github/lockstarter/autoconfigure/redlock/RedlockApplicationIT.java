package io.github.lockstarter.autoconfigure.redlock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractStringAssert;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

/** Applications with all locks on a quorum. */
@ExtendWith(OutputCaptureExtension.class)
class RedlockApplicationIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    /** The line of docs/operations.md. */
    private static final String LEAST_RIGHTS = "~lock:* &lock:* -@all +hello +auth +ping +select +client|setname"
            + " +evalsha +eval +get +mget +set +incrby +del +exists +pexpire +pttl +time +info +zadd +zrem +zscore +zcard"
            + " +hset +hmget +hgetall +hdel +zpopmin +zrangebyscore +publish +subscribe +unsubscribe";

    private static final String QUORUM = "distributed-lock.backend=redlock";

    static class Shop {

        @DistributedLock(name = "order", key = "#id", maxWaitMs = 0)
        public void ship(long id, Runnable meanwhile) {
            meanwhile.run();
        }
    }

    private static List<RedisServer> servers() {
        return REDIS.topology().servers();
    }

    private static String nodes() {
        return "distributed-lock.redlock.nodes=" + REDIS.topology().addresses();
    }

    private static ApplicationContextRunner application(String... properties) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedlockAutoConfiguration.class))
                .withBean(Shop.class)
                .withPropertyValues("distributed-lock.redlock.node-timeout=7s") // for busy machines
                .withPropertyValues(properties);
    }

    /** Servers that were never used vote after a lease, which their clocks say is over. */
    private static void use(ApplicationContextRunner application, List<RedisServer> servers) {
        assumeThat(RedisServer.canSetClock()).isTrue();
        application.run(
                context -> assertThatThrownBy(() -> context.getBean(Shop.class).ship(42, () -> {}))
                        .isInstanceOf(LockStoreRecoveringException.class));
        servers.forEach(server -> server.setClock(Duration.ofSeconds(31)));
    }

    @AfterEach
    void setClocksBack() {
        servers().stream().filter(RedisServer::answers).forEach(server -> server.setClock(Duration.ZERO));
    }

    private static void excludesAnotherInstance(ApplicationContextRunner application, List<RedisServer> servers) {
        use(application, servers);
        application.run(one -> {
            assertThat(one).hasNotFailed();
            application.run(other -> {
                Shop there = other.getBean(Shop.class);
                one.getBean(Shop.class).ship(42, () -> assertThatThrownBy(() -> there.ship(42, () -> {}))
                        .isInstanceOf(LockNotAcquiredException.class));
                LockHandle lock = one.getBean(LockTemplate.class).acquire("order:42");
                LockAdmin holder = one.getBean(LockAdmin.class);
                assertThatThrownBy(() -> there.ship(42, () -> {}))
                        .isInstanceOf(LockNotAcquiredException.class)
                        .hasMessageContaining("of instance " + holder.instance());
                assertThat(lock.isHeld()).isTrue();
                takesAway(lock, other.getBean(LockAdmin.class), holder);
            });
        });
    }

    private static void takesAway(LockHandle lock, LockAdmin operator, LockAdmin holder) {
        assertThat(operator.inspect(lock.key()).join()).isInstanceOfSatisfying(StoredLock.Held.class, seen -> {
            assertThat(seen.holder().map(LockHolder::instance)).hasValue(holder.instance());
            assertThat(seen.fencingToken()).isEqualTo(lock.fencingToken());
        });
        assertThat(operator.storeState().join()).satisfies(state -> {
            assertThat(state.failure()).isEmpty();
            assertThat(state.recovering()).isZero();
            assertThat(state.guard()).isEqualTo(StoreState.Guard.GUARDED);
            assertThat(state.nodes()).hasSizeBetween(3, 5).allSatisfy(node -> assertThat(node.failure())
                    .isEmpty());
        });
        assertThat(operator.revoke(lock.key(), lock.fencingToken()).join()).isInstanceOf(Revocation.Revoked.class);
        await().untilAsserted(() -> assertThat(lock.isHeld()).isFalse());
        lock.release();
    }

    /** A minority: it answers, and its other masters would vote too. */
    @Test
    void doesNotStartWithANodeThatIsOneOfSeveralMasters() {
        String text = "# Clients\r\nconnected_clients:";
        assumeThat(RedisServer.hasText(text)).isTrue();
        try (RedisServer one = RedisServer.startAltered(text, "# CRDT \r\ncrdt_config_version:")) {
            application(QUORUM, nodes() + "," + one.address()).run(context -> {
                assertThat(context).hasFailed();
                assertThat(FailureReport.of(context.getStartupFailure()))
                        .contains(one.address(), "is one of several masters", "distributed-lock.redlock.nodes")
                        .doesNotContain("distributed-lock.redis");
            });
        }
    }

    @Test
    void excludesByAQuorumWithLeastPrivileges() {
        String[] rules = ("reset on >s3cret " + LEAST_RIGHTS).split(" ");
        servers().forEach(server -> server.setUser("app", rules));
        servers().get(0).setUser("other", rules);
        String own = "redis://other:s3cret@" + servers().get(0).host() + ":"
                + servers().get(0).port();
        String rest = servers().subList(1, 5).stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));

        excludesAnotherInstance(
                application(
                        QUORUM,
                        "distributed-lock.redlock.nodes=" + own + "," + rest,
                        "distributed-lock.redlock.username=app",
                        "distributed-lock.redlock.password=s3cret"),
                servers());
    }

    @Test
    @Tag(Effort.FULL)
    void excludesOverTlsAndChecksTheCertificate() {
        try (TlsFiles files = TlsFiles.create();
                RedisServer first = RedisServer.startTls(files);
                RedisServer second = RedisServer.startTls(files);
                RedisServer third = RedisServer.startTls(files)) {
            String addresses = Stream.of(first, second, third)
                    .map(server -> "localhost:" + server.tlsPort())
                    .collect(Collectors.joining(","));
            excludesAnotherInstance(
                    application(
                            QUORUM,
                            "distributed-lock.redlock.nodes=" + addresses,
                            "distributed-lock.redlock.ssl-bundle=redis",
                            "spring.ssl.bundle.pem.redis.truststore.certificate=file:" + files.certificate()),
                    List.of(first, second, third));
            application(QUORUM, "distributed-lock.redlock.nodes=rediss://" + addresses.replace(",", ",rediss://"))
                    .run(context -> assertThatReport(context).contains("Only 0 of the 3 servers"));
        }
    }

    @Test
    @Tag(Effort.FULL)
    void startsWhenAMinorityOfServersIsDown(CapturedOutput output) {
        servers().subList(0, 2).forEach(RedisServer::kill);

        application(QUORUM, nodes()).run(context -> assertThat(context).hasNotFailed());

        assertThat(output)
                .contains("Could not connect to Redis at 127.0.0.1:"
                        + servers().get(0).port())
                .contains("continue without its vote");
    }

    @Test
    void failsWithoutAQuorumOfServers() {
        servers().subList(0, 3).forEach(RedisServer::kill);

        application(QUORUM, nodes()).run(context -> assertThatReport(context)
                .contains("Only 2 of the 5 servers of distributed-lock.redlock.nodes can keep locks, and 3 are")
                .contains("Could not connect to Redis at 127.0.0.1:"
                        + servers().get(0).port())
                .contains("Start Redis there, or set distributed-lock.redlock.nodes to where it runs")
                .doesNotContain("spring.data.redis", "required-at-start"));
    }

    @Test
    void failsWithTwoNamesOfOneServer() {
        String port = ":" + servers().get(0).port();

        application(
                        QUORUM,
                        "distributed-lock.redlock.nodes=127.0.0.1" + port + ",localhost" + port + ",127.0.0.1:"
                                + servers().get(1).port())
                .run(context ->
                        assertThatReport(context).contains("127.0.0.1" + port, "localhost" + port, "are one server"));
    }

    @Test
    void warnsAboutAnEvenNumberOfServers(CapturedOutput output) {
        String four = servers().subList(0, 4).stream()
                .map(server -> server.host() + ":" + server.port())
                .collect(Collectors.joining(","));
        application(QUORUM, "distributed-lock.redlock.nodes=" + four)
                .run(context -> assertThat(context).hasNotFailed());

        assertThat(output).contains("4 servers, which survive as many failures as 3 would");
    }

    @Test
    void warnsAboutAServerThatMayEvictLocks(CapturedOutput output) {
        RedisServer evicting = servers().get(1);
        evicting.commands().configSet("maxmemory", "100mb");
        evicting.commands().configSet("maxmemory-policy", "allkeys-lru");
        try {
            application(QUORUM, nodes()).run(context -> assertThat(context).hasNotFailed());
        } finally {
            evicting.commands().configSet("maxmemory", "0");
            evicting.commands().configSet("maxmemory-policy", "noeviction");
        }

        assertThat(output)
                .containsOnlyOnce("evicts keys when it is full")
                .contains("Redis at 127.0.0.1:" + evicting.port() + " evicts keys when it is full");
    }

    private static AbstractStringAssert<?> assertThatReport(AssertableApplicationContext context) {
        assertThat(context).hasFailed();
        return assertThat(FailureReport.of(context.getStartupFailure()));
    }
}
