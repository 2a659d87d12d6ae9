package io.github.lockstarter.jdbc.scenario;

import static io.github.lockstarter.kit.Patience.answer;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.contract.Application;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcSettings;
import io.github.lockstarter.jdbc.JdbcUnavailableException;
import io.github.lockstarter.jdbc.LockTable;
import io.github.lockstarter.jdbc.testing.JdbcStore;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.jdbc.testing.TestDatabase;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.net.TcpProxy;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A PostgreSQL that does not answer, behind a proxy. */
class OutageIT {

    /** For an application whose commands the database does not answer. */
    private static final Duration TIMEOUT = Duration.ofMillis(500);

    private static final Duration LEASE = Duration.ofSeconds(60);

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    private TcpProxy proxy;
    private HikariDataSource pool;
    private JdbcLockBackend backend;

    @BeforeEach
    void connectThroughTheProxy() {
        proxy = TcpProxy.before(POSTGRES.server());
        pool = POSTGRES.database()
                .pool(POSTGRES.database().url().replace(POSTGRES.server().address(), proxy.address()), 6);
        backend = backend(pool, JdbcStore.settings());
    }

    private static JdbcLockBackend backend(HikariDataSource pool, JdbcSettings settings) {
        JdbcLockBackend started = new JdbcLockBackend(pool, settings);
        started.start();
        return started;
    }

    /** From now on, commands end without an answer. */
    private void becomeHasty() {
        backend.close();
        backend = backend(pool, JdbcStore.settings(TIMEOUT));
    }

    @AfterEach
    void disconnect() {
        proxy.flow();
        backend.close();
        pool.close();
        proxy.close();
        POSTGRES.database().execute("DELETE FROM distributed_lock");
    }

    @Test
    void reportsUnknownWithinTheCommandTimeoutAndFreesTheGrant() {
        LockToken token = new LockToken("0123456789abcdef0123456789abcdef", 1);
        becomeHasty();
        await().untilAsserted(() -> {
            proxy.flow();
            // HikariCP does not validate a connection that has just been used: the attempt itself gets no answer.
            assertThat(answer(acquire("warm-up:" + UUID.randomUUID(), token)))
                    .isInstanceOf(AcquireResult.Granted.class);
            proxy.stallReplies();
            long start = System.nanoTime();

            assertThat(answer(acquire("hung", token))).isInstanceOf(AcquireResult.Unknown.class);

            assertThat(Duration.ofNanos(System.nanoTime() - start))
                    .isBetween(TIMEOUT.minusMillis(20), TIMEOUT.plus(Patience.TIME));
        });
        assertThat(answer(backend.releaseToken(new ReleaseCommand("hung", token, 0))))
                .isInstanceOf(ReleaseResult.Unknown.class);
        proxy.flow();
        await().untilAsserted(() -> {
            assertThat(answer(backend.releaseToken(new ReleaseCommand("hung", token, 0))))
                    .isNotInstanceOf(ReleaseResult.Unknown.class);
            assertThat(rowsOf("hung")).isZero();
        });
    }

    /** A waiting statement continues on the server if the client only closes the connection. */
    @Test
    void aReleaseEndsAStatementThatStillWaitsForTheLock() throws Exception {
        JdbcSettings hasty = JdbcStore.settings(Duration.ofMillis(100));
        LockToken token = new LockToken("0123456789abcdef0123456789abcdef", 1);
        try (HikariDataSource others = POSTGRES.database().pool(6);
                JdbcLockBackend second = new JdbcLockBackend(others, hasty);
                Connection operator = DriverManager.getConnection(
                        POSTGRES.database().url(), POSTGRES.database().user(), "");
                Statement statement = operator.createStatement()) {
            second.start();
            operator.setAutoCommit(false);
            statement.execute("INSERT INTO distributed_lock VALUES ('lock:late', 'operator', 1, now(), now())");

            await().untilAsserted(() -> assertThat(answer(
                            second.attemptAcquire(new AcquireCommand("late", token, LEASE, 0, 1, Optional.empty()))))
                    .isInstanceOf(AcquireResult.Unknown.class));
            await().untilAsserted(() -> assertThat(answer(second.releaseToken(new ReleaseCommand("late", token, 0))))
                    .isNotInstanceOf(ReleaseResult.Unknown.class));
            operator.rollback();

            await().during(Duration.ofMillis(Patience.MOMENT_MILLIS)).until(() -> rowsOf("late") == 0);
        }
    }

    @Test
    void aWaiterPollsLongBeforeItsNextRetry() throws Exception {
        JdbcSettings patient = new JdbcSettings(
                "lock:", LockTable.DEFAULT, Optional.empty(), Duration.ofSeconds(20), 4, Duration.ofMillis(100));
        try (HikariDataSource others = POSTGRES.database().pool(12);
                JdbcLockBackend holding = new JdbcLockBackend(others, patient);
                JdbcLockBackend second = new JdbcLockBackend(others, patient)) {
            holding.start();
            second.start();
            try (Application first = Application.over(holding);
                    Application waiting = Application.over(second, Application.settingsThatTrustSignals())) {
                LockHandle held = first.locks().acquire(LockRequest.of("woken"));
                CompletableFuture<LockHandle> next = waiting.locks()
                        .acquireAsync(LockRequest.of("woken").maxWait(Patience.TIME))
                        .toCompletableFuture();
                await().untilAsserted(() -> assertThat(waiting.events().of(LockEvent.Contended.class))
                        .hasSize(1));

                held.release();

                next.get(Patience.SECONDS, TimeUnit.SECONDS).release();
            }
        }
    }

    /** A login could wait forever. */
    @Test
    void warnsOfConnectionsWithoutASocketTimeout() {
        assertThat(backend.warnings()).singleElement().asString().contains("socketTimeout");
        String url = POSTGRES.database().url() + "?socketTimeout=60";
        try (HikariDataSource others = POSTGRES.database().pool(url, 1);
                JdbcLockBackend second = new JdbcLockBackend(others, JdbcSettings.of("lock:"))) {
            second.start();

            assertThat(second.warnings()).isEmpty();
        }
    }

    @Test
    void refusesASequenceWithACachePerSession() {
        POSTGRES.database().execute("ALTER SEQUENCE distributed_lock_fencing CACHE 20");
        try (HikariDataSource others = POSTGRES.database().pool(2);
                JdbcLockBackend second = new JdbcLockBackend(others, JdbcSettings.of("lock:"))) {
            assertThatThrownBy(second::start)
                    .isInstanceOf(JdbcUnavailableException.class)
                    .hasMessageContaining("distributed_lock_fencing")
                    .hasMessageContaining("CACHE 20");
        } finally {
            POSTGRES.database().execute("ALTER SEQUENCE distributed_lock_fencing CACHE 1");
        }
    }

    /** As after a planned failover: old sessions stay at a server that has become read-only, new ones reach another. */
    @Test
    void leavesAServerThatHasBecomeReadOnlyWithoutACut() {
        TestDatabase database = POSTGRES.database();
        LockToken held = new LockToken("0123456789abcdef0123456789abcdef", 1);
        assertThat(answer(acquire("held", held))).isInstanceOf(AcquireResult.Granted.class);
        database.execute(
                "ALTER ROLE " + database.user() + " SET default_transaction_read_only = off",
                "ALTER SYSTEM SET default_transaction_read_only = on",
                "SELECT pg_reload_conf()");
        try {
            await().until(() -> answer(acquire("first", new LockToken("0123456789abcdef0123456789abcdef", 2)))
                    instanceof AcquireResult.Unavailable);

            await().untilAsserted(() -> assertThat(
                            answer(acquire("next", new LockToken("0123456789abcdef0123456789abcdef", 3))))
                    .isInstanceOf(AcquireResult.Granted.class));
            await().untilAsserted(() -> assertThat(
                            answer(backend.renewLeases(List.of(new RenewCommand("held", held, LEASE, 1, 0)))
                                    .get(0)))
                    .isInstanceOf(RenewResult.Renewed.class));
        } finally {
            database.execute(
                    "ALTER SYSTEM RESET default_transaction_read_only",
                    "SELECT pg_reload_conf()",
                    "ALTER ROLE " + database.user() + " RESET default_transaction_read_only");
        }
    }

    private CompletionStage<AcquireResult> acquire(String key, LockToken token) {
        return backend.attemptAcquire(new AcquireCommand(key, token, LEASE, 0, 1, Optional.empty()));
    }

    private static long rowsOf(String key) {
        return POSTGRES.database().number("SELECT COUNT(*) FROM distributed_lock WHERE lock_key = 'lock:" + key + "'");
    }
}
