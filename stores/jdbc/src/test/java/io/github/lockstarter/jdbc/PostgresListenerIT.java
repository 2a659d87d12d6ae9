package io.github.lockstarter.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.jdbc.testing.PostgresExtension;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.springframework.jdbc.datasource.DelegatingDataSource;

/** Effects of a pool or a pooler on the connection for notifications. */
class PostgresListenerIT {

    @RegisterExtension
    static final PostgresExtension POSTGRES = new PostgresExtension();

    @Test
    void detectsAPoolerInTransactionMode() throws Exception {
        JdbcSettings settings = JdbcSettings.of("lock:");
        try (HikariDataSource pool = POSTGRES.database().pool(6);
                Connection lentToAnyone = pool.getConnection();
                JdbcLockBackend backend = new JdbcLockBackend(new TransactionPooler(pool, lentToAnyone), settings)) {
            backend.start();

            assertThat(backend.warnings())
                    .singleElement()
                    .asString()
                    .contains("pooler in transaction mode", "distributed-lock.jdbc.listen=false");
            assertThat(backend.state().toCompletableFuture().get().hearsSignals())
                    .isFalse();
        }
    }

    @Test
    void returnsItsConnectionPeriodicallyAndKeepsListening() throws SQLException {
        AtomicInteger lent = new AtomicInteger();
        Queue<String> received = new ConcurrentLinkedQueue<>();
        JdbcSettings settings = JdbcSettings.of("lock:");
        try (HikariDataSource pool = POSTGRES.database().pool(2)) {
            JdbcDatabase counted = new JdbcDatabase(
                    new DelegatingDataSource(pool) {
                        @Override
                        public Connection getConnection() throws SQLException {
                            lent.incrementAndGet();
                            return super.getConnection();
                        }
                    },
                    settings);
            counted.open().close(); // finds out which database it is
            PostgresListener listener =
                    new PostgresListener(settings, counted, PostgresListenerIT::sendNotice, Duration.ofMillis(300));
            listener.listen("me", (SignalsOnly) (key, slot) -> received.add(key));
            listener.begin("lock:key", attemptThatWaits());
            listener.startIfWanted();
            try {
                await().atMost(Duration.ofSeconds(20)).until(() -> lent.get() >= 4);
                await().atMost(Duration.ofSeconds(20)).until(listener::isOpen);
                await().atMost(Duration.ofSeconds(20)).until(() -> {
                    sendNotice(PostgresNotice.free("lock:key").text());
                    return !received.isEmpty();
                });
            } finally {
                listener.close();
            }
            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    /** A pool that is closed next logs each connection that it has not got back. */
    @Test
    void returnsAllConnectionsWhenClosed() {
        try (HikariDataSource pool = POSTGRES.database().pool(6)) {
            JdbcLockBackend backend = new JdbcLockBackend(pool, JdbcSettings.of("lock:"));
            backend.start();
            await().until(() -> pool.getHikariPoolMXBean().getActiveConnections() == 1); // the start may use another

            backend.close();

            assertThat(pool.getHikariPoolMXBean().getActiveConnections()).isZero();
        }
    }

    private static boolean sendNotice(String text) {
        POSTGRES.database().execute("SELECT pg_notify('public_distributed_lock', '" + text + "')");
        return true;
    }

    private static AcquireCommand attemptThatWaits() {
        Duration lease = Duration.ofSeconds(20);
        LockToken token = new LockToken("0123456789abcdef0123456789abcdef", 1);
        return new AcquireCommand("key", token, lease, 0, 1, Optional.of(new Waiting(Waiting.NEW, lease)));
    }

    /** Receives only signals. */
    private interface SignalsOnly extends SignalListener {

        @Override
        default void onWanted(String key) {}

        @Override
        default void onRevoked(String key, String fingerprint) {}

        @Override
        default void onMailboxRestored() {}
    }

    /** Has LISTEN carried out on a connection of the server that the client does not keep. */
    private static final class TransactionPooler extends DelegatingDataSource {

        private final Connection lentToAnyone;

        TransactionPooler(HikariDataSource server, Connection lentToAnyone) {
            super(server);
            this.lentToAnyone = lentToAnyone;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection real = super.getConnection();
            return proxy(Connection.class, (proxy, method, arguments) -> {
                Object result = method.invoke(real, arguments);
                return method.getName().equals("createStatement") ? listeningElsewhere((Statement) result) : result;
            });
        }

        private Statement listeningElsewhere(Statement real) {
            return proxy(Statement.class, (proxy, method, arguments) -> {
                if (method.getName().equals("execute") && ((String) arguments[0]).startsWith("LISTEN")) {
                    try (Statement elsewhere = lentToAnyone.createStatement()) {
                        return elsewhere.execute((String) arguments[0]);
                    }
                }
                return method.invoke(real, arguments);
            });
        }

        private static <T> T proxy(Class<T> type, InvocationHandler handler) {
            return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
        }
    }
}
