package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockThreads;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Hears the notifications of PostgreSQL on a connection of its own, which it opens again after a break. One thread,
 * from {@link #start} to {@link #stop}; {@code phase} goes from NEW to RUNNING to STOPPED, or from NEW to STOPPED.
 * {@code isOpen} and {@code missed} are written by that thread alone.
 */
final class PostgresListener implements Runnable {

    private static final int LOOK_MILLIS = 250;
    private static final Duration PAUSE = Duration.ofSeconds(1);

    /** How often a silent connection is asked whether it is still there. */
    private static final Duration ASK_AFTER = Duration.ofSeconds(10);

    private final JdbcDatabase database;
    private final Consumer<PostgresNotice> receiver;
    private final Runnable restored;
    private final BooleanSupplier isSpare;
    private final CompletableFuture<Void> tried = new CompletableFuture<>();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.NEW);
    private volatile boolean isOpen;
    private boolean missed;

    private enum Phase {
        NEW,
        RUNNING,
        STOPPED
    }

    /**
     * Hears nothing yet.
     *
     * @param database where the connection comes from
     * @param receiver gets each notification
     * @param restored called when notifications may have been missed, and come again
     * @param isSpare asked once it has its first connection: whether the pool has another one for commands
     */
    PostgresListener(
            JdbcDatabase database, Consumer<PostgresNotice> receiver, Runnable restored, BooleanSupplier isSpare) {
        this.database = database;
        this.receiver = receiver;
        this.restored = restored;
        this.isSpare = isSpare;
    }

    /** Listens from soon on. Idempotent; nothing after {@link #stop}. */
    void start() {
        if (phase.get() == Phase.NEW && phase.compareAndSet(Phase.NEW, Phase.RUNNING)) {
            LockThreads.thread("lock-jdbc-listener", this).start();
        }
    }

    /** Completed when it listens, or has given its connection back because there is no other one. */
    CompletableFuture<Void> tried() {
        return tried;
    }

    /** Whether it was stopped, also by itself. */
    boolean isStopped() {
        return phase.get() == Phase.STOPPED;
    }

    boolean isOpen() {
        return isOpen;
    }

    /** Gives the connection back within a second. Idempotent. */
    void stop() {
        phase.set(Phase.STOPPED);
    }

    @Override
    public void run() {
        while (phase.get() == Phase.RUNNING) {
            try (JdbcSession session = database.open()) {
                hear(session.connection());
            } catch (SQLException | RuntimeException e) {
                // The pool is exhausted or the server is away, which the commands report.
                missed = true;
            } finally {
                isOpen = false;
            }
            if (isStopped()) {
                tried.complete(null);
            }
            if (phase.get() == Phase.RUNNING) {
                pause();
            }
        }
    }

    private void hear(Connection connection) throws SQLException {
        execute(connection, "LISTEN \"" + database.table().channel() + '"');
        PGConnection notifying = connection.unwrap(PGConnection.class);
        if (!tried.isDone() && !isSpare.getAsBoolean()) {
            stop();
        }
        isOpen = phase.get() == Phase.RUNNING;
        if (isOpen) {
            tried.complete(null);
        }
        if (missed) {
            missed = false;
            restored.run();
        }
        long asked = System.nanoTime();
        while (phase.get() == Phase.RUNNING) {
            PGNotification[] notifications = notifying.getNotifications(LOOK_MILLIS);
            if (notifications != null) {
                for (PGNotification each : notifications) {
                    PostgresNotice.of(each.getParameter()).ifPresent(receiver);
                }
            }
            if (System.nanoTime() - asked > ASK_AFTER.toNanos()) {
                asked = System.nanoTime();
                ask(connection);
            }
        }
        execute(connection, "UNLISTEN *");
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
