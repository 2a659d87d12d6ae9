package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.StoredKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalLong;

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
    String later() {
        return laterThan(now());
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
     * Nothing: H2 would keep the limit for the connection, also once the application has it back. What waits for a row
     * ends with H2's own {@code LOCK_TIMEOUT}.
     */
    @Override
    void limit(PreparedStatement statement) {}

    /** H2 has no insertion that passes over a duplicate; it does not log one either. */
    @Override
    boolean insert(String key, String token, Duration lease) throws SQLException {
        try {
            return change("INSERT INTO " + newRow(), key, token, micros(lease));
        } catch (SQLException e) {
            if (DUPLICATE_KEY.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        OptionalLong last = ask(
                "SELECT fencing_token FROM FINAL TABLE (UPDATE " + table.name()
                        + " SET fencing_token = (NEXT VALUE FOR "
                        + table.numbers() + " - 1) * " + TOKENS_OF_A_NUMBER + " + " + floor()
                        + " + ? WHERE lock_key = ? AND owner = ? AND fencing_token = ?)",
                (long) tokens,
                key,
                token,
                seen);
        note(last.isPresent());
        return last.isPresent() ? OptionalLong.of(last.getAsLong() - tokens + 1) : last;
    }

    @Override
    void raise(long floor) throws SQLException {
        if (!insertFloor(floor)) {
            change(
                    "UPDATE " + table.name() + " SET fencing_token = GREATEST(fencing_token, ?) WHERE lock_key = ?",
                    floor,
                    StoredKeys.FLOOR);
        }
    }

    private boolean insertFloor(long floor) throws SQLException {
        try {
            return change(
                    "INSERT INTO " + table.name() + " (lock_key, owner, fencing_token, granted_at, lock_until) VALUES"
                            + " (?, NULL, ?, " + now() + ", TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00Z')",
                    StoredKeys.FLOOR,
                    floor);
        } catch (SQLException e) {
            if (DUPLICATE_KEY.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }
}
