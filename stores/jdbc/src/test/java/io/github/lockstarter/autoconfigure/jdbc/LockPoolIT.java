package io.github.lockstarter.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.jdbc.testing.HungDatabase;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks of an application whose server stops answering, while TCP still works. */
class LockPoolIT {

    private static final int CONNECTIONS = 10;

    /** A pool that validates one dead connection after the other takes longer. */
    private static final Duration LEASE = Duration.ofSeconds(30);

    private static final String EXPIRY =
            "SELECT CAST(EXTRACT(EPOCH FROM lock_until) AS BIGINT) FROM distributed_lock WHERE lock_key = 'lock:order:1'";

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    @Test
    @Tag(Effort.FULL)
    void keepsALockWhenAllPooledConnectionsAreSilentlyDead() {
        TestDatabase database = POSTGRES.database();
        try (TcpProxy proxy = TcpProxy.before(POSTGRES.server())) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(
                            DistributedLockAutoConfiguration.class,
                            JdbcLockAutoConfiguration.class,
                            DataSourceAutoConfiguration.class))
                    .withPropertyValues(
                            "distributed-lock.backend=jdbc",
                            "distributed-lock.lease=" + LEASE.toMillis() + "ms",
                            "distributed-lock.jdbc.command-timeout=1s",
                            "spring.datasource.url="
                                    + database.url().replace(POSTGRES.server().address(), proxy.address()),
                            "spring.datasource.username=postgres",
                            "spring.datasource.hikari.maximum-pool-size=" + CONNECTIONS)
                    .run(context -> {
                        HikariDataSource pool = context.getBean(HikariDataSource.class);
                        pool.getConnection().close();
                        await().until(() -> pool.getHikariPoolMXBean().getTotalConnections() == CONNECTIONS);
                        LockHandle held = context.getBean(LockTemplate.class).acquire("order:1");

                        proxy.open().forEach(ProxyLink::closeToServer); // as after the failover of an address

                        long before = database.number(EXPIRY);
                        await().until(() -> !held.isHeld() || database.number(EXPIRY) > before); // renewed
                        assertThat(held.isHeld()).isTrue();
                        held.release();
                    });
        }
    }

    @Test
    void worksAgainWhenAHungPostgresIsReplacedBehindItsAddress() {
        HungDatabase.assertReplaceable(POSTGRES.database(), "?sslmode=disable&socketTimeout=600");
    }
}
