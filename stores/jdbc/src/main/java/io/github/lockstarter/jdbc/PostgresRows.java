package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.StoredKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The statements for PostgreSQL. The clock is read where it is used, not at the begin of a statement that may have
 * waited for another one.
 */
final class PostgresRows extends LockRows {

    PostgresRows(Connection connection, LockTable table, Duration timeout) {
        super(connection, table, timeout);
    }

    /** The schema of the search path that has the table; the first one if none has it. */
    static @Nullable String schemaOf(LockTable table, Connection connection) throws SQLException {
        String sql = "SELECT COALESCE((SELECT nspname FROM pg_class JOIN pg_namespace schema"
                + " ON schema.oid = relnamespace WHERE pg_class.oid = to_regclass(?)), current_schema())";
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, table.name());
            try (ResultSet rows = statement.executeQuery()) {
                return rows.next() ? rows.getString(1) : null;
            }
        }
    }

    @Override
    String now() {
        return "clock_timestamp()";
    }

    @Override
    String later() {
        return laterThan(now());
    }

    @Override
    String laterThan(String column) {
        return "(" + column + " + ? * INTERVAL '1 microsecond')";
    }

    @Override
    String microsUntil(String time) {
        return "CAST(EXTRACT(EPOCH FROM (" + time + " - " + now() + ")) * 1000000 AS BIGINT)";
    }

    @Override
    String wanted() {
        return "wanted";
    }

    /**
     * Both statements in one message, of which the server makes one transaction: one answer, and one write to the disk.
     * From the insertion to the end of the transaction nobody else can take the row, so the number is drawn while the
     * token has it.
     */
    @Override
    OptionalLong take(String key, String token, Duration lease, int tokens) throws SQLException {
        try (PreparedStatement statement =
                prepare(insertion() + "; " + numbering(), key, token, micros(lease), (long) tokens, key, token, 0L)) {
            statement.execute();
            statement.getMoreResults();
            try (ResultSet rows = statement.getResultSet()) {
                return firstOf(tokens, rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty());
            }
        }
    }

    @Override
    boolean insert(String key, String token, Duration lease) throws SQLException {
        return change(insertion(), key, token, micros(lease));
    }

    private String insertion() {
        return "INSERT INTO " + newRow() + " ON CONFLICT (lock_key) DO NOTHING";
    }

    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        return firstOf(tokens, ask(numbering(), (long) tokens, key, token, seen));
    }

    private String numbering() {
        return numbering("nextval('" + table.numbers() + "')") + " RETURNING fencing_token";
    }

    @Override
    void raise(long floor) throws SQLException {
        change(
                "INSERT INTO " + table.name() + " AS present (lock_key, fencing_token, granted_at, lock_until)"
                        + " VALUES (?, ?, " + now() + ", TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00Z')"
                        + " ON CONFLICT (lock_key)"
                        + " DO UPDATE SET fencing_token = GREATEST(present.fencing_token, EXCLUDED.fencing_token)",
                StoredKeys.FLOOR,
                floor);
    }

    /** Each session would draw from numbers of its own that it has taken in advance. */
    @Override
    Optional<String> problemOfNumbers() throws SQLException {
        OptionalLong cached = ask("SELECT seqcache FROM pg_sequence WHERE seqrelid = CAST('" + table.numbers()
                + "' AS regclass) AND seqcache > 1");
        return cached.isEmpty()
                ? Optional.empty()
                : Optional.of("The sequence '" + table.numbers() + "' has CACHE " + cached.getAsLong()
                        + ", so its numbers are not in the order of the grants");
    }

    @Override
    boolean markWanted(String key, LockRow row) throws SQLException {
        return change(
                "UPDATE " + table.name() + " SET wanted = TRUE WHERE lock_key = ?"
                        + " AND owner IS NOT DISTINCT FROM CAST(? AS VARCHAR) AND lock_until > " + now(),
                key,
                row.owner().orElse(null));
    }

    @Override
    boolean free(String key, String token) throws SQLException {
        return notifying(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ? RETURNING wanted",
                PostgresNotice.free(key),
                key,
                token);
    }

    @Override
    boolean keep(String key, String token, Duration atLeast) throws SQLException {
        long micros = micros(atLeast);
        return notifying(
                "UPDATE " + table.name() + " SET owner = NULL, lock_until = " + laterThan("granted_at")
                        + " WHERE lock_key = ? AND owner = ? AND " + laterThan("granted_at") + " > " + now()
                        + " RETURNING wanted",
                PostgresNotice.free(key),
                micros,
                key,
                token,
                micros);
    }

    @Override
    boolean revoke(String key, LockRow seen) throws SQLException {
        return notifying(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND fencing_token = ? AND lock_until > " + now()
                        + " RETURNING TRUE AS wanted",
                seen.owner().map(owner -> PostgresNotice.revoked(key, owner)).orElseGet(() -> PostgresNotice.free(key)),
                key,
                seen.fencingToken());
    }

    @Override
    void tell(String notice) throws SQLException {
        ask("SELECT 1, CAST(pg_notify('" + table.channel() + "', ?) AS TEXT)", notice);
    }

    /** Carries a statement out that returns at most one row, and notifies if that row is wanted. */
    private boolean notifying(String statement, String notice, Object... parameters) throws SQLException {
        Object[] all = new Object[parameters.length + 1];
        System.arraycopy(parameters, 0, all, 0, parameters.length);
        all[parameters.length] = notice;
        return note(ask(
                        "WITH freed AS (" + statement + ") SELECT 1, CASE WHEN wanted THEN CAST(pg_notify('"
                                + table.channel() + "', ?) AS TEXT) END FROM freed",
                        all)
                .isPresent());
    }
}
