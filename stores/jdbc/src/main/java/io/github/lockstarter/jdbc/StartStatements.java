package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * Everything that a lock needs, with a lock of its own: the answer is what the database refused, or empty. Also deletes
 * what ended long ago.
 *
 * @param key of a lock that nobody else uses, as it is stored
 * @param meaning what an exception means
 */
record StartStatements(String key, Function<SQLException, SqlFailure> meaning)
        implements JdbcCommand<Optional<StartStatements.Failed>> {

    private static final Duration LEASE = Duration.ofSeconds(10);

    /** Why the database cannot be used. */
    record Failed(SqlFailure failure, Throwable cause) {}

    @Override
    public Optional<Failed> execute(LockRows rows) throws SQLException {
        String token = UUID.randomUUID().toString();
        String other = UUID.randomUUID().toString();
        rows.probe();
        rows.insert(key, token, LEASE);
        try {
            rows.number(key, token, 0, 1);
            rows.renew(List.of(new LockRows.Lease(key, token, LEASE)));
            if (rows.insert(key, other, LEASE)) {
                return Optional.of(failed(
                        "The table takes a second row of the same key, so that a lock would have two owners",
                        "Make lock_key its primary key, as the script does"));
            }
        } finally {
            rows.free(key, token);
            rows.free(key, other);
        }
        rows.sweep(JdbcLockBackend.SWEPT_AFTER);
        return rows.problemOfNumbers().map(problem -> failed(problem, "Set CACHE 1 with ALTER SEQUENCE"));
    }

    private static Failed failed(String problem, String remedy) {
        return new Failed(new SqlFailure(SqlFailure.Kind.REFUSED, problem, remedy), new IllegalStateException(problem));
    }

    @Override
    public Optional<Failed> refused(SqlFailure failure, Throwable cause) {
        return Optional.of(new Failed(failure, cause));
    }

    @Override
    public Optional<Failed> unknown(String reason, Throwable cause) {
        SqlFailure failure = cause instanceof SQLException e
                ? meaning.apply(e)
                : new SqlFailure(SqlFailure.Kind.UNKNOWN, reason, "");
        return Optional.of(new Failed(failure, cause));
    }
}
