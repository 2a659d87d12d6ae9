package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * The statements for MySQL. A table with an {@code AUTO_INCREMENT} column replaces the missing sequences; its counter
 * survives restarts since MySQL 8.0.
 */
class MySqlRows extends LockRows {

    /** Approximate number of rows in the table that draws numbers. */
    private static final int NUMBERS_LEFT = 100;

    MySqlRows(Connection connection, LockTable table, Duration timeout) {
        super(connection, table, timeout);
    }

    @Override
    final String now() {
        return "UTC_TIMESTAMP(6)";
    }

    @Override
    final String laterThan(String column) {
        return "(" + column + " + INTERVAL ? MICROSECOND)";
    }

    @Override
    final String microsUntil(String time) {
        return "TIMESTAMPDIFF(MICROSECOND, " + now() + ", " + time + ")";
    }

    /** MySQL reports a duplicate as a warning. */
    @Override
    final boolean insertIfAbsent(String row, @Nullable Object... parameters) throws SQLException {
        return change("INSERT IGNORE INTO " + row, parameters);
    }

    @Override
    final OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        long first = (draw() - 1) * TOKENS_OF_A_NUMBER + 1;
        boolean isNumbered = change(
                "UPDATE " + table.name()
                        + " SET fencing_token = ? WHERE lock_key = ? AND owner = ? AND fencing_token = ?",
                first + tokens - 1,
                key,
                token,
                seen);
        return isNumbered ? OptionalLong.of(first) : OptionalLong.empty();
    }

    long draw() throws SQLException {
        long drawn;
        try (PreparedStatement statement = connection.prepareStatement(
                "INSERT INTO " + table.numbers() + " () VALUES ()", Statement.RETURN_GENERATED_KEYS)) {
            limit(statement);
            statement.executeUpdate();
            try (ResultSet keys = statement.getGeneratedKeys()) {
                keys.next();
                drawn = keys.getLong(1);
            }
        }
        // At random, since a server may draw only odd numbers, or every seventh.
        if (ThreadLocalRandom.current().nextInt(NUMBERS_LEFT) == 0) {
            change("DELETE FROM " + table.numbers() + " WHERE n < ?", drawn);
        }
        return drawn;
    }

    /** In one transaction, since the server flushes each transaction to disk separately. */
    @Override
    final List<Boolean> renew(List<Lease> leases) throws SQLException {
        if (leases.size() == 1) {
            return super.renew(leases);
        }
        connection.setAutoCommit(false);
        try {
            List<Boolean> renewed = super.renew(leases);
            connection.commit();
            return renewed;
        } finally {
            connection.setAutoCommit(true); // commits part of a failed batch: a longer lease does no harm
        }
    }

    /** A driver with {@code useAffectedRows=true} does not count a row whose lease is long enough already. */
    @Override
    final boolean isRenewed(Lease lease, int count) throws SQLException {
        return count > 0 || isHeld(lease);
    }

    /** A greater number raises the counter; a smaller one does not change it. */
    @Override
    void raise(long floor) throws SQLException {
        change("INSERT IGNORE INTO " + table.numbers() + " (n) VALUES (?)", numberAbove(floor));
    }

    /** All tokens of later numbers exceed the floor. */
    static long numberAbove(long floor) {
        return floor / TOKENS_OF_A_NUMBER + 1;
    }
}
