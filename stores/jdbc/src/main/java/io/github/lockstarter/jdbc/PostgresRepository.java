package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** PostgreSQL. Statements read the clock where they use it: they may have waited for another one since they began. */
final class PostgresRepository extends LockRepository {

    PostgresRepository(JdbcSession session, LockTable table) {
        super(session, table);
    }

    /** The schema on the search path that has the table; otherwise the first one. */
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
    String laterThan(String column) {
        return "(" + column + " + ? * INTERVAL '1 microsecond')";
    }

    @Override
    String microsUntil(String time) {
        return "CAST(EXTRACT(EPOCH FROM (" + time + " - " + now() + ")) * 1000000 AS BIGINT)";
    }

    /**
     * Sends both statements in one message, which the server executes as one transaction: one response, one flush to
     * disk. From the insert to the commit, no other transaction can take the row. With {@code preferQueryMode=simple}
     * the driver sends two messages and so two transactions; the number is still drawn after the insert, and only if
     * the row has the token.
     */
    @Override
    Optional<LockRow> take(String key, String token, Duration lease, int tokens) throws SQLException {
        String sql = insertion(newRow()) + "; WITH numbered AS (" + numbering() + ") "
                + selection("COALESCE((SELECT numbered.fencing_token FROM numbered), fencing_token)", 1);
        try (PreparedStatement statement =
                session.prepare(sql, key, token, micros(lease), (long) tokens, key, token, 0L, key)) {
            statement.execute();
            session.note(statement.getUpdateCount() > 0);
            statement.getMoreResults();
            return read(statement.getResultSet()).stream().findFirst();
        }
    }

    @Override
    boolean insertIfAbsent(String row, @Nullable Object... parameters) throws SQLException {
        return session.change(insertion(row), parameters);
    }

    private static String insertion(String row) {
        return "INSERT INTO " + row + " ON CONFLICT (lock_key) DO NOTHING";
    }

    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        return session.changeReturning(numbering(), (long) tokens, key, token, seen);
    }

    private String numbering() {
        return numbering("nextval('" + table.numbers() + "')") + " RETURNING fencing_token";
    }

    /** With a cache, each session draws from its own preallocated numbers. */
    @Override
    Optional<String> problemOfNumbers() throws SQLException {
        OptionalLong cached = session.ask("SELECT seqcache FROM pg_sequence WHERE seqrelid = CAST('" + table.numbers()
                + "' AS regclass) AND seqcache > 1");
        return cached.isEmpty()
                ? Optional.empty()
                : Optional.of("The sequence '" + table.numbers() + "' has CACHE " + cached.getAsLong()
                        + ", so its numbers are not in the order of the grants");
    }
}
