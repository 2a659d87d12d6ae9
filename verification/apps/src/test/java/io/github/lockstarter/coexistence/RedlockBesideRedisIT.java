package io.github.lockstarter.coexistence;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redlock.RedlockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application whose locks are in its own Redis, and some of them on a quorum. */
class RedlockBesideRedisIT {

    @RegisterExtension
    static final TopologyExtension<RedisQuorum> REDIS = TopologyExtension.quorum();

    private static List<RedisServer> servers() {
        return REDIS.topology().servers();
    }

    @AfterEach
    void setClocksBack() {
        servers().forEach(server -> server.setClock(Duration.ZERO));
    }

    @Test
    void usesBoth() {
        try (RedisServer redis = RedisServer.start()) {
            ApplicationContextRunner application = application(redis);
            use(application);
            application.run(context -> {
                LockTemplate locks = context.getBean(LockTemplate.class);
                LockTemplate quorum = context.getBean("redlockLocks", LockTemplate.class);
                try (LockHandle stock = locks.acquire("stock:1");
                        LockHandle order = quorum.acquire("order:1")) {
                    assertThat(redis.commands().exists("lock:{stock:1}")).isOne();
                    assertThat(redis.commands().exists("lock:{order:1}")).isZero();
                    assertThat(holders("lock:{order:1}")).isGreaterThanOrEqualTo(3);
                    assertThat(holders("lock:{stock:1}")).isZero();
                    assertThat(locks.heldLocks().size()).isOne();
                    assertThat(quorum.heldLocks().size()).isOne();
                    stock.ensureHeld();
                    order.ensureHeld();
                }
            });
        }
    }

    private static ApplicationContextRunner application(RedisServer redis) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        SslAutoConfiguration.class,
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class,
                        RedlockAutoConfiguration.class))
                .withPropertyValues(
                        "spring.data.redis.host=" + redis.host(),
                        "spring.data.redis.port=" + redis.port(),
                        "distributed-lock.redis.command-timeout=20s", // for busy machines, as the next
                        "distributed-lock.redlock.node-timeout=7s",
                        "distributed-lock.redlock.nodes=" + REDIS.topology().addresses(),
                        "distributed-lock.further-backends=redlock");
    }

    /** Servers that were never used vote after a lease, which their clocks say is over. */
    private static void use(ApplicationContextRunner application) {
        assumeThat(RedisServer.canSetClock()).isTrue();
        application.run(context -> {
            LockTemplate quorum = context.getBean("redlockLocks", LockTemplate.class);
            assertThatThrownBy(() -> quorum.acquire(LockRequest.of("order:1").withoutWaiting()))
                    .isInstanceOf(LockStoreRecoveringException.class);
        });
        servers().forEach(server -> server.setClock(Duration.ofSeconds(31)));
    }

    private static long holders(String lockKey) {
        return servers().stream()
                .filter(server -> server.commands().exists(lockKey) == 1)
                .count();
    }
}
