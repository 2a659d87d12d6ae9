package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears the notifications of PostgreSQL on a connection of its own, which it opens again after a break, and from time
 * to time, so that the pool can retire it. One thread, from {@link #start} to {@link #close}; {@code isStopped} is set
 * once. {@code isOpen}, {@code problem} and {@code missed} are written by that thread alone.
 */
final class PostgresListener implements Runnable, AutoCloseable {

    private static final int LOOK_MILLIS = 250;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How often a silent connection is asked whether it is still there. */
    private static final Duration ASK_AFTER = Duration.ofSeconds(10);

    private final JdbcDatabase database;
    private final Consumer<PostgresNotice> receiver;
    private final Runnable restored;
    private final Predicate<String> sender;
    private final Duration longestLoan;
    private final Thread thread;
    private final CompletableFuture<Void> tried = new CompletableFuture<>();
    private volatile boolean isStopped;
    private volatile boolean isOpen;
    private volatile Optional<String> problem = Optional.empty();
    private boolean missed;

    /**
     * Hears nothing yet.
     *
     * @param database where the connection comes from
     * @param receiver gets each notification
     * @param restored called when notifications may have been missed, and come again
     * @param sender sends a notification over another connection; false if it could not
     * @param longestLoan when it gives its connection back and takes one again
     */
    PostgresListener(
            JdbcDatabase database,
            Consumer<PostgresNotice> receiver,
            Runnable restored,
            Predicate<String> sender,
            Duration longestLoan) {
        this.database = database;
        this.receiver = receiver;
        this.restored = restored;
        this.sender = sender;
        this.longestLoan = longestLoan;
        this.thread = LockThreads.thread("lock-jdbc-listener", this);
    }

    /** Listens from soon on. To be called once. */
    void start() {
        thread.start();
    }

    /** Completed when it listens, or has given that up. */
    CompletableFuture<Void> tried() {
        return tried;
    }

    /** Why it has given up. */
    Optional<String> problem() {
        return problem;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Ends the thread, and waits until it has given its connection back. Idempotent. */
    @Override
    public void close() {
        isStopped = true;
        LockThreads.join(thread);
    }

    @Override
    public void run() {
        while (!isStopped) {
            try (JdbcSession session = database.open()) {
                hear(session.connection());
            } catch (SQLException | RuntimeException e) {
                // The pool is exhausted or the server is away, which the commands report.
                missed = true;
                isOpen = false;
                pause();
            } finally {
                isOpen = false;
            }
        }
        tried.complete(null);
    }

    private void hear(Connection connection) throws SQLException {
        execute(connection, "LISTEN \"" + database.table().channel() + '"');
        PGConnection notifying = connection.unwrap(PGConnection.class);
        Optional<String> deafness = deafness(notifying);
        if (deafness.isPresent() && tried.isDone()) {
            execute(connection, "UNLISTEN *");
            throw new SQLException(deafness.get());
        }
        if (deafness.isPresent()) {
            problem = deafness;
            isStopped = true;
        }
        isOpen = !isStopped;
        if (isOpen) {
            tried.complete(null);
        }
        if (missed) {
            missed = false;
            restored.run();
        }
        long lent = System.nanoTime();
        long asked = lent;
        while (!isStopped && System.nanoTime() - lent < longestLoan.toNanos()) {
            receive(notifying);
            if (System.nanoTime() - asked > ASK_AFTER.toNanos()) {
                asked = System.nanoTime();
                ask(connection);
            }
        }
        missed = true; // until it listens again
        execute(connection, "UNLISTEN *");
    }

    /** Why no notification would come; empty if one did. A pooler may have carried LISTEN out on any connection. */
    private Optional<String> deafness(PGConnection connection) throws SQLException {
        String echo = "echo:" + UUID.randomUUID();
        if (!sender.test(echo)) {
            return Optional.of("The connection pool has no connection to spare for the notifications of PostgreSQL");
        }
        long sent = System.nanoTime();
        boolean isHeard = false;
        while (!isHeard && System.nanoTime() - sent < database.commandTimeout().toNanos()) {
            isHeard = receive(connection).contains(echo);
        }
        return isHeard
                ? Optional.empty()
                : Optional.of("No notification of PostgreSQL comes through, as behind a pooler in transaction mode");
    }

    private List<String> receive(PGConnection connection) throws SQLException {
        PGNotification[] notifications = connection.getNotifications(LOOK_MILLIS);
        List<String> texts = notifications == null
                ? List.of()
                : Stream.of(notifications).map(PGNotification::getParameter).toList();
        texts.forEach(text -> PostgresNotice.of(text).ifPresent(receiver));
        return texts;
    }

    private static void ask(Connection connection) throws SQLException {
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
