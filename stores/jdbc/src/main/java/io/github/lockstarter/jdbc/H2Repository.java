package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

final class H2Repository extends LockRepository {

    private static final String DUPLICATE_KEY = "23505";

    H2Repository(JdbcSession session, LockTable table) {
        super(session, table);
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

    /** H2 cannot ignore a duplicate on insert, but does not log one. */
    @Override
    boolean insertIfAbsent(String row, @Nullable Object... parameters) throws SQLException {
        try {
            return session.change("INSERT INTO " + row, parameters);
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
        return session.changeReturning(
                "SELECT fencing_token FROM FINAL TABLE (" + numbering + ")", (long) tokens, key, token, seen);
    }
}
