package io.github.lockstarter.autoconfigure.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Locks of an application whose own connections are all in use. */
class LockPoolTests {

    private static final int CONNECTIONS = 10;

    private final TestDatabase database = H2Databases.empty().prepared();

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(
                    DistributedLockAutoConfiguration.class,
                    JdbcLockAutoConfiguration.class,
                    DataSourceAutoConfiguration.class))
            .withPropertyValues(
                    "distributed-lock.backend=jdbc",
                    "distributed-lock.lease=60s",
                    "distributed-lock.jdbc.command-timeout=20s",
                    "spring.datasource.url=" + database.url(),
                    "spring.datasource.username=" + database.user(),
                    "spring.datasource.hikari.maximum-pool-size=" + CONNECTIONS);

    @Test
    void keepsLocksWhileTransactionsUseEveryConnectionOfThePool() {
        application.run(context -> {
            LockTemplate locks = context.getBean(LockTemplate.class);
            List<LockHandle> held = new ArrayList<>();
            List<Connection> transactions = new ArrayList<>();
            for (int i = 0; i < CONNECTIONS; i++) {
                held.add(locks.acquire("batch:" + i));
            }
            for (int i = 0; i < CONNECTIONS; i++) {
                transactions.add(context.getBean(HikariDataSource.class).getConnection());
            }

            assertThat(held).allMatch(LockHandle::isHeld);
            // A renewal is the same command, a third of the lease later.
            held.forEach(each -> each.extend(LockRequest.of(each.key()).lease(Duration.ofSeconds(60))));

            assertThat(locks.tryAcquire("free")).hasValueSatisfying(LockHandle::release);
            held.forEach(LockHandle::release);
            for (Connection each : transactions) {
                each.close();
            }
        });
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    void connectsWithTheCurrentCredentialsOfTheApplication() throws SQLException {
        try (HikariDataSource pool = database.pool(1);
                LockDataSource locks = LockDataSource.besides(pool, 1, Duration.ofSeconds(20))) {
            locks.source().getConnection().close();
            database.execute("ALTER USER " + database.user() + " SET PASSWORD 'rotated'");
            pool.getHikariConfigMXBean().setPassword("rotated");
            ((HikariDataSource) locks.source()).getHikariPoolMXBean().softEvictConnections();

            try (Connection connection = locks.source().getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
        }
    }

    @Test
    void usesAMarkedPoolUnchanged() {
        application
                .withUserConfiguration(MarkedPool.class)
                .withBean(TestDatabase.class, () -> database)
                .run(context -> {
                    HikariDataSource pool = context.getBean("forLocks", HikariDataSource.class);

                    assertThat(context.getBean(LockDataSource.class).source()).isSameAs(pool);
                });
    }

    @Configuration(proxyBeanMethods = false)
    static class MarkedPool {

        @Bean(defaultCandidate = false)
        @DistributedLockDataSource
        HikariDataSource forLocks(TestDatabase database) {
            return database.pool(2);
        }
    }
}
