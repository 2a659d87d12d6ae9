package io.github.lockstarter.transaction;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.redis.RedisLockAutoConfiguration;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.github.lockstarter.transaction.testing.Bank;
import io.github.lockstarter.transaction.testing.OldReadSuite;
import io.github.lockstarter.transaction.testing.PropagationSuite;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Locks in Redis, and data in PostgreSQL, whose binaries are for Linux on x86-64. */
@Tag("full")
class PostgresTransactionIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static EmbeddedPostgres postgres;

    @BeforeAll
    static void startPostgres() throws IOException {
        postgres = EmbeddedPostgres.start();
    }

    @AfterAll
    static void stopPostgres() throws IOException {
        postgres.close();
    }

    private static ApplicationContextRunner onPostgres() {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withBean("database", DataSource.class, postgres::getPostgresDatabase)
                .withUserConfiguration(Bank.class)
                .withPropertyValues(
                        "spring.data.redis.host=" + REDIS.server().host(),
                        "spring.data.redis.port=" + REDIS.server().port());
    }

    @Nested
    class Propagation extends PropagationSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onPostgres();
        }
    }

    @Nested
    class OldReads extends OldReadSuite {
        @Override
        protected ApplicationContextRunner application() {
            return onPostgres();
        }
    }
}
