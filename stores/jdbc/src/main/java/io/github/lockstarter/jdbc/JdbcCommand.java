package io.github.lockstarter.jdbc;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.jdbc.SqlFailure.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One command: its statements, which a thread of the pool executes, and its result, which comes at the latest when the
 * time is up. Who sets {@code decided} says whether the statements are sent, or given up before that. So the result of
 * a command whose time is up says whether the database may have got one.
 *
 * @param <R> kind of result
 */
final class JdbcCommand<R> {

    private static final int MOST_REPEATS = 20;

    /** Idempotent for a lock token, so that they may be repeated after a deadlock. */
    interface Statements<R> {

        /** Executes them. */
        R execute(LockRepository locks) throws SQLException;
    }

    private final JdbcDatabase database;
    private final Statements<R> statements;
    private final Function<SqlFailure, R> failed;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();

    /**
     * Not executed yet.
     *
     * @param database where to
     * @param statements what to execute
     * @param failed the result where that fails
     */
    JdbcCommand(JdbcDatabase database, Statements<R> statements, Function<SqlFailure, R> failed) {
        this.database = database;
        this.statements = statements;
        this.failed = failed;
    }

    /** The result. To be called once. */
    CompletableFuture<R> within(Duration timeout) {
        return answer.orTimeout(timeout.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(timeIsUp -> failed.apply(late(DurationText.exactly(timeout))));
    }

    private SqlFailure late(String timeout) {
        SQLException cause = new SQLException("no answer within " + timeout);
        return decided.compareAndSet(false, true)
                ? new SqlFailure(
                        Kind.REFUSED,
                        "No connection to " + database + " was free within " + timeout,
                        "Check that the server is up. " + SqlFailure.LARGER_POOL,
                        cause)
                : new SqlFailure(
                        Kind.UNKNOWN,
                        "No answer of " + database + " within " + timeout + " (command-timeout)",
                        "",
                        cause);
    }

    /** Executes the statements on a thread of the pool, unless the time is up; completes when that has ended. */
    CompletableFuture<Void> runOn(Executor pool) {
        try {
            return CompletableFuture.runAsync(this::run, pool);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(refuse(e));
        }
    }

    /** The pool is closed; null. */
    @Nullable
    Void refuse(Throwable closed) {
        fail(new SqlFailure(Kind.REFUSED, "The lock backend of " + database + " is closed", "", closed));
        return null;
    }

    private void run() {
        if (decided.get()) {
            return;
        }
        try (JdbcSession session = database.open()) {
            if (decided.compareAndSet(false, true)) {
                execute(database.rows(session));
            }
        } catch (SQLException e) {
            // Only before a statement was sent: what comes later is a result.
            fail(SqlFailure.unconnected(e));
        } catch (RuntimeException | Error e) {
            fail(new SqlFailure(Kind.UNKNOWN, "The driver of " + database + " failed: " + e, "", e));
        }
    }

    private void execute(LockRows rows) {
        for (int repeats = 0; !answer.isDone(); repeats++) {
            try {
                answer.complete(statements.execute(new LockRepository(rows)));
            } catch (SQLException e) {
                SqlFailure failure = database.failure(e);
                if (failure.kind() != Kind.RETRY || repeats >= MOST_REPEATS) {
                    fail(rows.isChanged() ? failure.ofUnknownOutcome() : failure);
                }
            }
        }
    }

    private void fail(SqlFailure failure) {
        answer.complete(failed.apply(failure));
    }
}
