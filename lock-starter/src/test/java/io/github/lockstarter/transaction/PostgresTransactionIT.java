package io.github.lockstarter.transaction;

import io.github.lockstarter.autoconfigure.redis.RedisApplication;
import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.kit.server.PostgresServer;
import io.github.lockstarter.transaction.testing.Bank;
import io.github.lockstarter.transaction.testing.PropagationSuite;
import io.github.lockstarter.transaction.testing.StaleReadSuite;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

/** Locks in Redis, and data in PostgreSQL, whose binaries are for Linux on x86-64. */
@Tag("full")
class PostgresTransactionIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static PostgresServer postgres;

    @BeforeAll
    static void startPostgres() {
        postgres = PostgresServer.start();
    }

    @AfterAll
    static void stopPostgres() {
        postgres.close();
    }

    private static ApplicationContextRunner onPostgres() {
        return RedisApplication.on(REDIS.server())
                .withBean(
                        "database", DataSource.class, () -> new DriverManagerDataSource(postgres.url(), "postgres", ""))
                .withUserConfiguration(Bank.class);
    }

    @Nested
    class Propagation extends PropagationSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onPostgres();
        }
    }

    @Nested
    class StaleReads extends StaleReadSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onPostgres();
        }
    }
}
