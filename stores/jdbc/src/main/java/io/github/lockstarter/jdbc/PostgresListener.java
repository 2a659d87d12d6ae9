package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Receives PostgreSQL notifications on its own connection, reopened after a failure, and periodically so that the pool
 * can retire it. Idle on other databases and when disabled.
 *
 * <p>Called by any thread. {@code waiting} maps stored keys to the keys for which the instance waits; {@code hashed}
 * maps stored keys that are not prefix plus key. One thread listens, from {@link #startIfWanted} to {@link #close}; it
 * alone writes {@code isOpen}, {@code problem} and {@code isInterrupted}.
 */
final class PostgresListener implements Runnable, AutoCloseable {

    /** A pool does not retire a borrowed connection at its max-lifetime. */
    static final Duration LONGEST_LOAN = Duration.ofMinutes(10);

    /** The next renewal detects a revocation whose key was dropped. */
    private static final int MOST_HASHED = 10_000;

    private static final int LOOK_MILLIS = 250;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    private static final Duration CHECK_EVERY = Duration.ofSeconds(10);

    private record Mailbox(String instance, SignalListener listener) {}

    private final JdbcSettings settings;
    private final JdbcDatabase database;
    private final Predicate<String> sender;
    private final Duration longestLoan;
    private final ConcurrentMap<String, String> waiting = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> hashed = new ConcurrentHashMap<>();
    private final Thread thread = LockThreads.thread("lock-jdbc-listener", this);
    private final AtomicBoolean isStarted = new AtomicBoolean();
    private final CompletableFuture<Void> tried = new CompletableFuture<>();
    private volatile Optional<Mailbox> mailbox = Optional.empty();
    private volatile Optional<String> problem = Optional.empty();
    private volatile boolean isStopped;
    private volatile boolean isOpen;
    private boolean isInterrupted;

    /** @param sender sends a notification over the pool; false if it could not */
    PostgresListener(JdbcSettings settings, JdbcDatabase database, Predicate<String> sender, Duration longestLoan) {
        this.settings = settings;
        this.database = database;
        this.sender = sender;
        this.longestLoan = longestLoan;
    }

    void listen(String instanceId, SignalListener receiver) {
        mailbox = Optional.of(new Mailbox(LockToken.shortened(instanceId), receiver));
    }

    /** Whether notifications are enabled, and known to be supported. */
    boolean isWanted() {
        return settings.listen()
                && database.knownDialect()
                        .filter(JdbcDialect.POSTGRESQL::equals)
                        .isPresent();
    }

    void startIfWanted() {
        if (!isStarted.get() && isWanted() && isStarted.compareAndSet(false, true)) {
            thread.start();
        }
    }

    /** Waits until notifications arrive or the listener gives up. */
    void awaitOpen(Duration limit) {
        if (isStarted.get()) {
            BlockingWait.awaitUninterruptibly(tried, limit);
        }
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Why the listener gave up. */
    Optional<String> problem() {
        return problem;
    }

    /** Stops the thread, and waits until it has returned its connection. Idempotent. */
    @Override
    public void close() {
        isStopped = true;
        LockThreads.join(thread);
    }

    /** Call before an attempt: a notification may arrive before the result. */
    void begin(String stored, AcquireCommand command) {
        if (command.waiting().isPresent()) {
            waiting.put(stored, command.key());
        }
        if (!stored.equals(settings.keyPrefix() + command.key())) {
            if (hashed.size() >= MOST_HASHED) {
                hashed.clear();
            }
            hashed.put(stored, command.key());
        }
    }

    void end(String stored) {
        waiting.remove(stored);
    }

    @Override
    public void run() {
        while (!isStopped) {
            try (JdbcSession session = database.open()) {
                listen(session.connection());
            } catch (SQLException | RuntimeException e) {
                // The commands report an exhausted pool or an unreachable server.
                isInterrupted = true;
                isOpen = false;
                pause();
            } finally {
                isOpen = false;
            }
        }
        tried.complete(null);
    }

    private void listen(Connection connection) throws SQLException {
        execute(connection, "LISTEN \"" + database.table().channel() + '"');
        PGConnection notifying = connection.unwrap(PGConnection.class);
        Optional<String> found = findProblem(notifying);
        if (found.isEmpty()) {
            receiveUntilLoanEnds(connection, notifying);
        }
        execute(connection, "UNLISTEN *");
        if (found.isPresent()) {
            if (tried.isDone()) {
                throw new SQLException(found.get());
            }
            problem = found;
            isStopped = true;
        }
    }

    private void receiveUntilLoanEnds(Connection connection, PGConnection notifying) throws SQLException {
        isOpen = true;
        tried.complete(null);
        if (isInterrupted) {
            isInterrupted = false;
            mailbox.ifPresent(present -> present.listener().onMailboxRestored());
        }
        long lent = System.nanoTime();
        long checked = lent;
        while (!isStopped && System.nanoTime() - lent < longestLoan.toNanos()) {
            receive(notifying);
            if (System.nanoTime() - checked > CHECK_EVERY.toNanos()) {
                checked = System.nanoTime();
                check(connection);
            }
        }
        isInterrupted = true; // until it listens again
    }

    /** Why notifications do not arrive; empty if one did. A pooler may execute LISTEN on any connection. */
    private Optional<String> findProblem(PGConnection connection) throws SQLException {
        String echo = "echo:" + UUID.randomUUID();
        if (!sender.test(echo)) {
            return Optional.of("The connection pool has no connection to spare for the notifications of PostgreSQL");
        }
        long sent = System.nanoTime();
        boolean isReceived = false;
        while (!isReceived
                && System.nanoTime() - sent < settings.commandTimeout().toNanos()) {
            isReceived = receive(connection).contains(echo);
        }
        return isReceived
                ? Optional.empty()
                : Optional.of("No notification of PostgreSQL comes through, as behind a pooler in transaction mode");
    }

    private List<String> receive(PGConnection connection) throws SQLException {
        PGNotification[] notifications = connection.getNotifications(LOOK_MILLIS);
        List<String> texts = notifications == null
                ? List.of()
                : Stream.of(notifications).map(PGNotification::getParameter).toList();
        texts.forEach(text ->
                PostgresNotice.of(text).ifPresent(notice -> mailbox.ifPresent(present -> deliver(notice, present))));
        return texts;
    }

    private void deliver(PostgresNotice notice, Mailbox present) {
        String waited = waiting.get(notice.key());
        if (waited != null) {
            present.listener().onSignal(waited, 0);
        }
        if (notice.isRevoked() && notice.instance().equals(present.instance())) {
            present.listener().onRevoked(keyOf(notice.key()), notice.fingerprint());
        }
    }

    private String keyOf(String stored) {
        String known = hashed.get(stored);
        String prefix = settings.keyPrefix();
        return known == null && stored.startsWith(prefix)
                ? stored.substring(prefix.length())
                : Objects.requireNonNullElse(known, stored);
    }

    private static void check(Connection connection) throws SQLException {
        if (!connection.isValid(2)) {
            throw new SQLException("The connection for notifications is broken");
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static void pause() {
        try {
            BlockingWait.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
