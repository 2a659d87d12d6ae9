package io.github.lockstarter.jdbc;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.jdbc.testing.H2Databases;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.testing.CriticalSection;
import io.github.lockstarter.testing.Crowd;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Requirements for pools and tables. */
class JdbcLockBackendTests {

    private static final LockRequest REQUEST = LockRequest.of("key").maxWait(Patience.TIME);

    private final TestDatabase database = H2Databases.empty();

    @Test
    void excludesManyThreadsThroughAPoolOfOneConnection() {
        database.prepared();
        try (HikariDataSource pool = database.pool(1);
                JdbcLockBackend backend = started(pool);
                Application application = Application.over(backend)) {
            CriticalSection section = new CriticalSection();

            Crowd.of(8).eachRuns(10, () -> {
                try (LockHandle held = application.locks().acquire(REQUEST)) {
                    section.run(held.fencingToken());
                }
            });

            section.assertExclusive(80);
        }
    }

    @Test
    void reportsNoOutageForARefusalOrAfterTheClose() {
        SQLException silence = new SQLException("reset", "08006");
        SQLException wrongLogin = new SQLException("password", "28P01");
        try (HikariDataSource pool = database.pool(1)) {
            JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcSettings.of("lock:"));
            assertThat(backend.isSilence(silence)).isTrue();
            assertThat(Stream.of(
                            wrongLogin,
                            new SQLException("no connection", wrongLogin),
                            new SQLException("too many connections", "53300"),
                            new SQLException("too many connections", "08004", 1040),
                            new SQLException("too complex", "54001"),
                            new SQLException("starting up", "57P03"),
                            new SQLException("none of those", SqlFailure.NOT_SUPPORTED)))
                    .noneMatch(backend::isSilence);
            backend.close();
            assertThat(backend.isSilence(silence)).isFalse();
            assertThat(backend.isSilence(new TimeoutException())).isFalse();
        }
    }

    @Test
    void reportsAnUnsentCommandWhenThePoolIsEmpty() throws SQLException {
        database.prepared();
        try (HikariDataSource pool = database.pool(1);
                JdbcLockBackend backend = started(pool, Duration.ofMillis(500));
                Connection taken = pool.getConnection()) {
            assertThat(taken.isClosed()).isFalse();
            AcquireResult result = acquire(backend, "key");

            assertThat(result)
                    .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                            .contains("No connection", "connection pool"));
        }
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    void saysThatThePoolIsExhaustedWhenThePoolReportsIt() throws SQLException {
        database.prepared();
        try (HikariDataSource pool = database.pool(database.url(), 1, config -> config.setConnectionTimeout(250))) {
            await().ignoreExceptions().until(() -> isOpened(pool)); // which takes longer on a slow machine
            try (JdbcLockBackend backend = started(pool);
                    Connection taken = pool.getConnection()) {
                assertThat(taken.isClosed()).isFalse();

                assertThat(acquire(backend, "key"))
                        .isInstanceOfSatisfying(AcquireResult.Rejected.class, rejected -> assertThat(rejected.reason())
                                .contains("The connection pool is exhausted", "@DistributedLockDataSource"));
            }
        }
    }

    private static boolean isOpened(HikariDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return !connection.isClosed();
        }
    }

    @Test
    void commitsWithoutAutoCommitAndRestoresTheConnection() throws SQLException {
        database.prepared();
        try (HikariDataSource pool = database.pool(database.url(), 1, config -> {
            config.setAutoCommit(false);
            config.setTransactionIsolation("TRANSACTION_SERIALIZABLE");
        })) {
            try (JdbcLockBackend backend = started(pool)) {
                assertThat(acquire(backend, "key")).isInstanceOf(AcquireResult.Granted.class);
                assertThat(database.number("SELECT COUNT(*) FROM distributed_lock"))
                        .isEqualTo(1);
            }
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isFalse();
                assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            }
        }
    }

    @Test
    void leavesNoQueryTimeoutOnAReturnedConnection() throws SQLException {
        database.prepared();
        try (HikariDataSource pool = database.pool(1);
                JdbcLockBackend backend = started(pool)) {
            assertThat(acquire(backend, "key")).isInstanceOf(AcquireResult.Granted.class);

            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                assertThat(statement.getQueryTimeout()).isZero();
            }
        }
    }

    @Test
    void usesOneTableWhateverTheSchemaOfThePooledConnections() throws SQLException {
        database.prepared().execute("CREATE SCHEMA tenant");
        database.preparedAfter("SET SCHEMA tenant");

        TenantPools.assertOneOwner(database, "SET SCHEMA tenant");
    }

    @Test
    void leavesNothingBehindInTheTable() {
        database.prepared();
        try (HikariDataSource pool = database.pool(4);
                JdbcLockBackend backend = started(pool);
                Application application = Application.over(backend)) {
            for (int i = 0; i < 20; i++) {
                try (LockHandle held = application.locks().acquire(LockRequest.of("key:" + i))) {
                    assertThat(held.isHeld()).isTrue();
                    assertThat(database.number("SELECT COUNT(*) FROM distributed_lock"))
                            .isEqualTo(1);
                }
            }
        }
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    void namesTheScriptWhenTheTableIsMissing() {
        assertUnavailable(database, "distributed_lock", "io/github/lockstarter/jdbc/h2.sql");
    }

    @Test
    void namesTheMissingSequence() {
        database.prepared().execute("DROP SEQUENCE distributed_lock_fencing");

        assertUnavailable(database, "distributed_lock_fencing", "io/github/lockstarter/jdbc/h2.sql");
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    void refusesATableThatIgnoresTheCaseOfKeys() {
        TestDatabase ignoring =
                new TestDatabase(database.url() + ";IGNORECASE=TRUE", database.user(), database.dialect());
        ignoring.prepared();

        assertUnavailable(ignoring, "upper and lower case", "collation");
    }

    @Test
    void refusesATableInWhichALockCouldHaveTwoOwners() {
        database.prepared().execute("ALTER TABLE distributed_lock DROP PRIMARY KEY");

        assertUnavailable(database, "two owners", "primary key");
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock")).isZero();
    }

    @Test
    void namesTheMissingRights() {
        database.prepared().execute("CREATE USER reader PASSWORD ''", "GRANT SELECT ON distributed_lock TO reader");

        String withoutSettings = database.url().replace(";DB_CLOSE_DELAY=-1", ""); // which only the owner may change
        assertUnavailable(
                new TestDatabase(withoutSettings, "reader", JdbcDialect.H2), "a right", "Grant SELECT, INSERT, UPDATE");
    }

    @Test
    void saysThatTheDatabaseIsUnsupported() {
        try (HikariDataSource pool = database.prepared().pool(1);
                JdbcLockBackend backend =
                        new JdbcLockBackend(new RenamedDatabase(pool, "Derby"), JdbcStore.settings())) {
            assertThatThrownBy(backend::start)
                    .isInstanceOf(JdbcUnavailableException.class)
                    .hasMessageContaining("'Derby ")
                    .hasMessageContaining("distributed-lock.jdbc.dialect");
        }
    }

    @Test
    void theStateDescribesTheFailure() throws Exception {
        database.prepared();
        try (HikariDataSource pool = database.pool(2);
                JdbcLockBackend backend = started(pool)) {
            assertThat(backend.state().toCompletableFuture().get().failure()).isEmpty();

            database.execute("DROP SEQUENCE distributed_lock_fencing");
            assertThat(backend.state().toCompletableFuture().get().failure())
                    .hasValueSatisfying(
                            failure -> assertThat(failure).containsIgnoringCase("distributed_lock_fencing"));
            assertThat(database.number("SELECT COUNT(*) FROM distributed_lock WHERE lock_key LIKE '%probe%'"))
                    .isZero();

            database.execute("DROP TABLE distributed_lock");

            assertThat(backend.state().toCompletableFuture().get().failure())
                    .hasValueSatisfying(failure -> assertThat(failure).contains("missing", "h2.sql"));
        }
    }

    private static void assertUnavailable(TestDatabase database, String problem, String remedy) {
        try (HikariDataSource pool = database.pool(1);
                JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcStore.settings())) {
            assertThatThrownBy(backend::start).isInstanceOfSatisfying(JdbcUnavailableException.class, failure -> {
                assertThat(failure).hasMessageContaining(problem);
                assertThat(failure.remedy()).contains(remedy);
            });
        }
    }

    private static JdbcLockBackend started(HikariDataSource pool) {
        return started(pool, JdbcStore.COMMAND_TIMEOUT);
    }

    private static JdbcLockBackend started(HikariDataSource pool, Duration commandTimeout) {
        JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcStore.settings(commandTimeout));
        backend.start();
        return backend;
    }

    private static AcquireResult acquire(JdbcLockBackend backend, String key) {
        LockToken token = new LockToken("0123456789abcdef0123456789abcdef", System.nanoTime());
        return answer(
                backend.attemptAcquire(new AcquireCommand(key, token, Duration.ofSeconds(60), 0, 1, Optional.empty())));
    }
}
