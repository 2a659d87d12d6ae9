package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** The statements for H2. */
final class H2Rows extends LockRows {

    private static final String DUPLICATE_KEY = "23505";

    H2Rows(Connection connection, LockTable table, Duration timeout) {
        super(connection, table, timeout);
    }

    @Override
    String now() {
        return "CURRENT_TIMESTAMP";
    }

    @Override
    String laterThan(String column) {
        return "DATEADD(MICROSECOND, ?, " + column + ")";
    }

    @Override
    String microsUntil(String time) {
        return "CAST((EXTRACT(EPOCH FROM " + time + ") - EXTRACT(EPOCH FROM " + now() + ")) * 1000000 AS BIGINT)";
    }

    /**
     * No query timeout: H2 would keep it on the connection after its return to the application's pool. H2's own {@code
     * LOCK_TIMEOUT} ends a wait for a row.
     */
    @Override
    void limit(PreparedStatement statement) {}

    /** H2 cannot ignore a duplicate on insert, but does not log one. */
    @Override
    boolean insertIfAbsent(String row, @Nullable Object... parameters) throws SQLException {
        try {
            return change("INSERT INTO " + row, parameters);
        } catch (SQLException e) {
            if (DUPLICATE_KEY.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        String numbering = numbering("NEXT VALUE FOR " + table.numbers());
        return firstOf(
                tokens,
                ask("SELECT fencing_token FROM FINAL TABLE (" + numbering + ")", (long) tokens, key, token, seen));
    }
}
