package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.kit.Patience;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A grant in PostgreSQL: the insertion of the row and the number of the grant. */
class PostgresRepositoryIT {

    private static final Duration LONG = Duration.ofMinutes(1);

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    private Connection connection;
    private LockRepository locks;

    @BeforeEach
    void connect() throws SQLException {
        connection = connectionToTheServer();
        locks = new PostgresRepository(new JdbcSession(connection, LONG), LockTable.DEFAULT);
    }

    @AfterEach
    void disconnect() throws SQLException {
        connection.close();
        POSTGRES.database().execute("DELETE FROM distributed_lock");
    }

    @Test
    void takesAFreeLockInOneTransaction() {
        // A vacuum may run in between.
        await().untilAsserted(() -> {
            long before = transaction();

            assertThat(ownerOf(locks.take("key:" + before, "alice", LONG, 1))).hasValue("alice");

            assertThat(transaction()).isEqualTo(before + 2);
        });
    }

    @Test
    void drawsNoTokenForABusyLock() throws SQLException {
        assertThat(ownerOf(locks.take("key", "alice", LONG, 1))).hasValue("alice");
        long before = lastNumber();

        assertThat(ownerOf(locks.take("key", "bob", LONG, 1))).hasValue("alice");

        assertThat(lastNumber()).isEqualTo(before);
    }

    /** An earlier number could be smaller than the number of an owner that comes and goes meanwhile. */
    @Test
    void drawsTheTokenAfterTheRowIsTaken() throws Exception {
        try (Connection other = connectionToTheServer();
                Statement statement = other.createStatement()) {
            other.setAutoCommit(false);
            statement.execute("INSERT INTO distributed_lock VALUES ('lock:key', 'bob', 1, now(), now())");
            CompletableFuture<Optional<LockRow>> taken =
                    CompletableFuture.supplyAsync(this::take, run -> new Thread(run).start());
            await().until(() -> POSTGRES.database().number("SELECT COUNT(*) FROM pg_locks WHERE NOT granted") == 1);
            long meanwhile = POSTGRES.database().number("SELECT nextval('distributed_lock_fencing')");
            other.rollback();

            assertThat(taken.get(Patience.SECONDS, TimeUnit.SECONDS).map(LockRow::fencingToken))
                    .hasValue(meanwhile * LockRepository.TOKENS_OF_A_NUMBER + 1);
        }
    }

    private Optional<LockRow> take() {
        try {
            return locks.take("lock:key", "alice", LONG, 1);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static Optional<String> ownerOf(Optional<LockRow> row) {
        return row.flatMap(LockRow::owner);
    }

    private static Connection connectionToTheServer() throws SQLException {
        return DriverManager.getConnection(
                POSTGRES.database().url(), POSTGRES.database().user(), "");
    }

    private static long transaction() {
        return POSTGRES.database().number("SELECT CAST(CAST(pg_current_xact_id() AS TEXT) AS BIGINT)");
    }

    private static long lastNumber() {
        return POSTGRES.database().number("SELECT last_value FROM distributed_lock_fencing");
    }
}
