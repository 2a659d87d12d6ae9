package io.github.lockstarter.jdbc;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.jdbc.testing.HungDatabase;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.MariaDb;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.net.ProxyLink;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.testing.Effort;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Differences of drivers, pools and servers of MySQL and MariaDB. */
class MariaDbIT {

    private static final Duration TIMEOUT = Duration.ofSeconds(20);
    private static final Duration LEASE = Duration.ofSeconds(60);
    private static final LockToken TOKEN = new LockToken("0123456789abcdef0123456789abcdef", 1);

    private static MariaDb server;
    private static TestDatabase database;

    @BeforeAll
    static void start() {
        server = MariaDb.shared();
        database = server.database().prepared();
    }

    @AfterEach
    void clear() {
        database.execute("DELETE FROM distributed_lock");
    }

    /** The pool lends connections with REPEATABLE READ, so a command begins with setting the isolation. */
    @Test
    void givesUpASilentConnectionBeforeTheFirstStatement() {
        URI address = URI.create(database.url().substring("jdbc:".length()));
        try (TcpProxy proxy = TcpProxy.before(address.getHost(), address.getPort());
                HikariDataSource pool =
                        database.pool("jdbc:mariadb://" + proxy.host() + ":" + proxy.port() + "/test", 1);
                JdbcLockBackend backend = backend(pool, JdbcDialect.MARIADB, Duration.ofMillis(500))) {
            await().untilAsserted(
                            () -> assertThat(acquire(backend, "before")).isInstanceOf(AcquireResult.Granted.class));

            proxy.open().forEach(ProxyLink::closeToServer);
            try {
                assertThat(acquire(backend, "meanwhile"))
                        .isInstanceOfAny(AcquireResult.Unknown.class, AcquireResult.Rejected.class);
                await().untilAsserted(() ->
                        assertThat(acquire(backend, "afterwards")).isInstanceOf(AcquireResult.Granted.class));
            } finally {
                proxy.cut(); // the driver closes no connection while a thread reads from it
            }
        }
    }

    @Test
    @Tag(Effort.FULL)
    void worksAgainWhenAHungServerIsReplacedBehindItsAddress() {
        HungDatabase.assertReplaceable(database, "?socketTimeout=600000&connectTimeout=600000");
    }

    /** The right to write nevertheless stands for another server: it applies to connections that are opened later. */
    @Test
    void leavesAServerThatHasBecomeReadOnlyWithoutACut() {
        String user = userWith("ALL PRIVILEGES ON test.*");
        try (HikariDataSource pool = database.pool(database.url(), 2, config -> config.setUsername(user));
                JdbcLockBackend backend = backend(pool)) {
            assertThat(acquire(backend, "before")).isInstanceOf(AcquireResult.Granted.class);
            database.execute("GRANT READ ONLY ADMIN ON *.* TO app@localhost", "SET GLOBAL read_only = ON");

            assertThat(acquire(backend, "meanwhile")).isInstanceOf(AcquireResult.Unavailable.class);

            await().untilAsserted(
                            () -> assertThat(acquire(backend, "afterwards")).isInstanceOf(AcquireResult.Granted.class));
        } finally {
            database.execute("SET GLOBAL read_only = OFF");
        }
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '|',
            value = {"MARIADB,|SELECT, INSERT|", "MYSQL,|SELECT, INSERT, DELETE|"})
    void needsNoMoreRightsThanTheScriptNames(JdbcDialect dialect, String ofNumbers) {
        TestDatabase empty = database(dialect).prepared();
        String user = userWith(
                "SELECT, INSERT, UPDATE, DELETE ON rights.distributed_lock",
                ofNumbers + " ON rights.distributed_lock_fencing");
        try (HikariDataSource pool = empty.pool(empty.url(), 1, config -> config.setUsername(user));
                JdbcLockBackend backend = backend(pool, dialect)) {
            assertThat(acquire(backend, "key")).isInstanceOf(AcquireResult.Granted.class);
        }
    }

    /** Needed by one of a hundred grants. */
    @Test
    void refusesToStartWithoutTheRightToDeleteNumbers() {
        TestDatabase empty = database(JdbcDialect.MYSQL).prepared();
        String user = userWith(
                "SELECT, INSERT, UPDATE, DELETE ON rights.distributed_lock",
                "SELECT, INSERT ON rights.distributed_lock_fencing");
        try (HikariDataSource pool = empty.pool(empty.url(), 1, config -> config.setUsername(user))) {
            assertThatThrownBy(() -> backend(pool, JdbcDialect.MYSQL))
                    .isInstanceOf(JdbcUnavailableException.class)
                    .hasMessageContaining("DELETE command denied");
        }
    }

    private static TestDatabase database(JdbcDialect dialect) {
        database.execute("DROP DATABASE IF EXISTS rights");
        return server.create("rights", dialect);
    }

    private static String userWith(String... grants) {
        database.execute("DROP USER IF EXISTS app@localhost", "CREATE USER app@localhost");
        for (String grant : grants) {
            database.execute("GRANT " + grant + " TO app@localhost");
        }
        return "app";
    }

    @Test
    void renewsALongLeaseWhenTheDriverCountsOnlyChangedRows() {
        try (HikariDataSource pool = database.pool(database.url() + "?useAffectedRows=true", 2);
                JdbcLockBackend backend = backend(pool)) {
            assertThat(acquire(backend, "key")).isInstanceOf(AcquireResult.Granted.class);

            assertThat(renew(backend, "key", Duration.ofSeconds(1))).isInstanceOf(RenewResult.Renewed.class);
            assertThat(renew(backend, "other", Duration.ofSeconds(1))).isInstanceOf(RenewResult.NotHeld.class);
        }
    }

    @Test
    void renewsTenThousandDueLocksWithinOneCommandTimeout() {
        int locks = 10_000;
        database.execute("INSERT INTO distributed_lock SELECT CONCAT('lock:', seq), CONCAT('"
                + TOKEN.instanceId() + ":', seq), seq, UTC_TIMESTAMP(6), UTC_TIMESTAMP(6) + INTERVAL 180 SECOND"
                + " FROM seq_1_to_" + locks);
        List<RenewCommand> due = IntStream.rangeClosed(1, locks)
                .mapToObj(i -> new RenewCommand(
                        String.valueOf(i), new LockToken(TOKEN.instanceId(), i), Duration.ofMinutes(5), i, 0))
                .toList();
        JdbcSettings settings = JdbcStore.settings();
        try (HikariDataSource pool = database.pool(2);
                JdbcLockBackend backend = new JdbcLockBackend(pool, settings)) {
            backend.start();

            assertThat(backend.renewLeases(due)).hasSize(locks).allSatisfy(each -> assertThat(answer(each))
                    .isInstanceOf(RenewResult.Renewed.class));
        }
        assertThat(database.number("SELECT COUNT(*) FROM distributed_lock"
                        + " WHERE lock_until > UTC_TIMESTAMP(6) + INTERVAL 4 MINUTE"))
                .isEqualTo(locks);
    }

    @Test
    void grantsAFreeLockWithTwoStatements() throws SQLException {
        try (Connection connection = DriverManager.getConnection(database.url(), database.user(), "")) {
            MariaDbRepository locks = new MariaDbRepository(new JdbcSession(connection, TIMEOUT), LockTable.DEFAULT);
            long before = statements(connection);

            AcquireResult result =
                    locks.trySlots(List.of("key"), new AcquireCommand("key", TOKEN, LEASE, 0, 1, Optional.empty()));

            assertThat(statements(connection)).as("with the one that counts").isEqualTo(before + 3);
            assertThat(result).isInstanceOfSatisfying(AcquireResult.Granted.class, granted -> assertThat(
                            database.number("SELECT fencing_token FROM distributed_lock"))
                    .isEqualTo(granted.fencingToken()));
        }
    }

    private static long statements(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW SESSION STATUS LIKE 'Questions'")) {
            row.next();
            return row.getLong(2);
        }
    }

    @Test
    void storesFewNumbersEvenWhenTheServerDrawsOnlyOddOnes() throws SQLException {
        TestDatabase odd = server.create("odd", JdbcDialect.MYSQL).prepared();
        int draws = 2_000; // that all of them leave the ones before has a probability of 1 : 500 million
        try (Connection connection = DriverManager.getConnection(odd.url(), odd.user(), "");
                Statement statement = connection.createStatement()) {
            statement.execute("SET auto_increment_increment = 2, auto_increment_offset = 1");
            MySqlRepository locks = new MySqlRepository(new JdbcSession(connection, TIMEOUT), LockTable.DEFAULT);
            for (int i = 0; i < draws; i++) {
                assertThat(locks.draw() % 2).isEqualTo(1);
            }
        }

        assertThat(odd.number("SELECT COUNT(*) FROM distributed_lock_fencing")).isLessThan(draws);
    }

    @Test
    void usesOneTableWhateverTheDatabaseOfThePooledConnections() throws SQLException {
        server.create("`tenant-1`", JdbcDialect.MARIADB);
        database.preparedAfter("USE `tenant-1`");

        TenantPools.assertOneOwner(database, "USE `tenant-1`");
    }

    private static JdbcLockBackend backend(HikariDataSource pool) {
        return backend(pool, JdbcDialect.MARIADB);
    }

    private static JdbcLockBackend backend(HikariDataSource pool, JdbcDialect dialect) {
        return backend(pool, dialect, TIMEOUT);
    }

    private static JdbcLockBackend backend(HikariDataSource pool, JdbcDialect dialect, Duration commandTimeout) {
        JdbcSettings settings = new JdbcSettings(
                "lock:", LockTable.DEFAULT, Optional.of(dialect), commandTimeout, 1, Duration.ofMillis(20));
        JdbcLockBackend backend = new JdbcLockBackend(pool, settings);
        backend.start();
        return backend;
    }

    private static AcquireResult acquire(JdbcLockBackend backend, String key) {
        return answer(backend.attemptAcquire(new AcquireCommand(key, TOKEN, LEASE, 0, 1, Optional.empty())));
    }

    private static RenewResult renew(JdbcLockBackend backend, String key, Duration lease) {
        return answer(backend.renewLeases(List.of(new RenewCommand(key, TOKEN, lease, 0, 0)))
                .get(0));
    }
}
