package io.github.lockstarter.jdbc;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.jdbc.SqlFailure.Kind;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * One command: statements that a pool thread executes, and a result that arrives by the timeout. The pool thread sets
 * {@code decided} before the first statement, or else the timeout does; so the result after a timeout shows whether a
 * statement may have reached the database.
 */
final class JdbcCommand<R> {

    private static final int MOST_REPEATS = 20;

    /** Idempotent for a lock token, so they can be repeated after a deadlock. */
    interface Statements<R> {

        R execute(LockRepository locks) throws SQLException;
    }

    private final JdbcDatabase database;
    private final Statements<R> statements;
    private final Function<SqlFailure, R> failed;
    private final CompletableFuture<R> answer = new CompletableFuture<>();
    private final AtomicBoolean decided = new AtomicBoolean();

    JdbcCommand(JdbcDatabase database, Statements<R> statements, Function<SqlFailure, R> failed) {
        this.database = database;
        this.statements = statements;
        this.failed = failed;
    }

    /**
     * Returns the result. Call only once.
     *
     * @param timer not the JDK's, which code of the application may block
     */
    CompletableFuture<R> within(Duration timeout, ScheduledExecutorService timer) {
        try {
            Future<?> end = timer.schedule(
                    () -> fail(late(DurationText.exactly(timeout))), timeout.toMillis(), TimeUnit.MILLISECONDS);
            answer.whenComplete((result, failure) -> end.cancel(false));
        } catch (RejectedExecutionException e) {
            refuse(e);
        }
        return answer;
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

    /** Completes after the execution, which does not begin once the timeout has passed. */
    CompletableFuture<Void> runOn(Executor pool) {
        try {
            return CompletableFuture.runAsync(this::run, pool);
        } catch (RejectedExecutionException e) {
            return CompletableFuture.completedFuture(refuse(e));
        }
    }

    /** Fails the command because the pool is closed; returns null. */
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
                execute(session);
            }
        } catch (SQLException e) {
            // Thrown only before the first statement: later failures become results.
            fail(SqlFailure.unconnected(e));
        } catch (RuntimeException | Error e) {
            fail(new SqlFailure(Kind.UNKNOWN, "The driver of " + database + " failed: " + e, "", e));
        }
    }

    private void execute(JdbcSession session) {
        LockRepository locks = database.locks(session);
        for (int repeats = 0; !answer.isDone(); repeats++) {
            try {
                answer.complete(statements.execute(locks));
            } catch (SQLException e) {
                SqlFailure failure = database.failure(e);
                if (failure.kind() == Kind.UNAVAILABLE) {
                    database.discard(session);
                }
                if (failure.kind() != Kind.RETRY || repeats >= MOST_REPEATS) {
                    fail(session.isChanged() ? failure.ofUnknownOutcome() : failure);
                }
            }
        }
    }

    private void fail(SqlFailure failure) {
        answer.complete(failed.apply(failure));
    }
}
