package io.github.lockstarter.jdbc;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.jdbc.SqlFailure.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * One command on its way: it is completed once, by the pool's thread or, when its time is up, by the timer. The timer
 * knows by the phase whether the database may have got a statement. {@code phase} goes from QUEUED to SENT, or from
 * QUEUED to GIVEN_UP; the thread that moves it decides.
 */
final class CommandRun<R> {

    private static final int MOST_REPEATS = 20;

    private final JdbcCommand<R> command;
    private final JdbcDatabase database;
    private final CompletableFuture<R> result = new CompletableFuture<>();
    private final CompletableFuture<Void> alarm = new CompletableFuture<>();
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.QUEUED);

    private enum Phase {
        QUEUED,
        SENT,
        GIVEN_UP
    }

    CommandRun(JdbcCommand<R> command, JdbcDatabase database) {
        this.command = command;
        this.database = database;
    }

    /** The result, at the latest when the time is up. */
    CompletableFuture<R> within(Duration timeout) {
        alarm.completeOnTimeout(null, timeout.toMillis(), TimeUnit.MILLISECONDS);
        alarm.thenRun(() -> timeOut(timeout));
        return result;
    }

    private void timeOut(Duration timeout) {
        SQLException late = new SQLException("no answer within " + DurationText.exactly(timeout));
        if (phase.compareAndSet(Phase.QUEUED, Phase.GIVEN_UP)) {
            SqlFailure failure = new SqlFailure(
                    Kind.REFUSED,
                    "No connection to " + database + " was free within " + DurationText.exactly(timeout),
                    "Check that the server is up. " + SqlFailure.LARGER_POOL);
            result.complete(command.refused(failure, late));
        } else {
            result.complete(command.unknown(
                    "No answer of " + database + " within " + DurationText.exactly(timeout) + " (command-timeout)",
                    late));
        }
    }

    /** The pool is closed. */
    void refuse() {
        SqlFailure failure = new SqlFailure(Kind.REFUSED, "The lock backend of " + database + " is closed", "");
        complete(command.refused(failure, new IllegalStateException("closed")));
    }

    /** Carries the command out, on the pool's thread, unless its time is up. */
    void run() {
        if (phase.get() != Phase.QUEUED) {
            return;
        }
        try (JdbcSession session = database.open()) {
            if (phase.compareAndSet(Phase.QUEUED, Phase.SENT)) {
                execute(database.rows(session));
            }
        } catch (SQLException e) {
            // Only before a statement was sent: what comes later is a result.
            SqlFailure failure = SqlFailure.unconnected(e);
            complete(command.refused(failure, e));
        } catch (RuntimeException | Error e) {
            complete(command.unknown("The driver of " + database + " failed: " + e, e));
        }
    }

    private void execute(LockRows rows) {
        try {
            R answer = repeat(rows);
            if (!complete(answer)) {
                command.late(answer, rows);
            }
        } catch (SQLException e) {
            fail(rows, e);
        }
    }

    private R repeat(LockRows rows) throws SQLException {
        for (int repeats = 0; ; repeats++) {
            try {
                return command.execute(rows);
            } catch (SQLException e) {
                if (repeats >= MOST_REPEATS
                        || result.isDone()
                        || database.failure(e).kind() != Kind.RETRY) {
                    throw e;
                }
            }
        }
    }

    private void fail(LockRows rows, SQLException e) {
        SqlFailure failure = database.failure(e);
        boolean isCertain = failure.kind() != Kind.UNKNOWN && !rows.isChanged();
        complete(isCertain ? command.refused(failure, e) : command.unknown(failure.reason(), e));
    }

    private boolean complete(R answer) {
        boolean isFirst = result.complete(answer);
        alarm.cancel(false);
        return isFirst;
    }
}
