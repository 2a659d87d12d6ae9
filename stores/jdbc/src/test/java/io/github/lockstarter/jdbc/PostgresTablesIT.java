package io.github.lockstarter.jdbc;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Names of tables in PostgreSQL. */
class PostgresTablesIT {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    @Test
    void usesATableWithALongName() {
        String schema = "s".repeat(50);
        String table = schema + "." + "t".repeat(50);
        POSTGRES.database()
                .execute(
                        "CREATE SCHEMA " + schema,
                        "CREATE TABLE " + table + " (LIKE distributed_lock INCLUDING ALL)",
                        "CREATE SEQUENCE " + table + "_fencing");
        JdbcSettings settings = new JdbcSettings(
                "lock:", new LockTable(table), Optional.empty(), Duration.ofSeconds(20), 4, Duration.ofMillis(20));
        try (HikariDataSource pool = POSTGRES.database().pool(6);
                JdbcLockBackend backend = new JdbcLockBackend(pool, settings)) {
            backend.start();
            assertThat(answer(backend.state()).failure()).isEmpty();
            LockToken owner = new LockToken("0123456789abcdef0123456789abcdef", 1);
            assertThat(answer(backend.attemptAcquire(attempt(owner, Optional.empty()))))
                    .isInstanceOf(AcquireResult.Granted.class);
            LockToken other = new LockToken("0123456789abcdef0123456789abcdef", 2);
            assertThat(answer(backend.attemptAcquire(
                            attempt(other, Optional.of(new Waiting(Waiting.NEW, Duration.ofSeconds(10)))))))
                    .isInstanceOf(AcquireResult.Contended.class);

            assertThat(answer(backend.releaseToken(new ReleaseCommand("key", owner, 0))))
                    .isInstanceOf(ReleaseResult.Released.class);
        }
    }

    @Test
    void usesOneTableWhateverTheSearchPathOfThePooledConnections() throws SQLException {
        POSTGRES.database().execute("CREATE SCHEMA \"tenant-1\"");
        POSTGRES.database().preparedAfter("SET search_path TO \"tenant-1\"");

        TenantPools.assertOneOwner(POSTGRES.database(), "SET search_path TO \"tenant-1\"");
    }

    @Test
    void findsTheTableAfterAnEmptySchemaOfTheSearchPath() {
        POSTGRES.database().execute("CREATE SCHEMA empty");
        try (HikariDataSource pool =
                        POSTGRES.database().pool(POSTGRES.database().url() + "?currentSchema=empty,public", 3);
                JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcSettings.of("lock:"))) {
            backend.start();

            assertThat(backend)
                    .hasToString("the database " + POSTGRES.database().url().substring("jdbc:".length())
                            + ", table \"public\".distributed_lock");
        }
    }

    private static AcquireCommand attempt(LockToken token, Optional<Waiting> waiting) {
        return new AcquireCommand("key", token, Duration.ofSeconds(60), 0, 1, waiting);
    }
}
