package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.RenewResult;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/** MySQL. An {@code AUTO_INCREMENT} column replaces the missing sequences; it survives restarts since MySQL 8.0. */
class MySqlRepository extends LockRepository {

    /** Approximate number of rows left in the table of numbers. */
    private static final int NUMBERS_LEFT = 100;

    MySqlRepository(JdbcSession session, LockTable table) {
        super(session, table);
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
        return session.change("INSERT IGNORE INTO " + row, parameters);
    }

    @Override
    OptionalLong number(String key, String token, long seen, int tokens) throws SQLException {
        long last = (draw() - 1) * TOKENS_OF_A_NUMBER + tokens;
        boolean numbered = session.change(
                "UPDATE " + table.name()
                        + " SET fencing_token = ? WHERE lock_key = ? AND owner = ? AND fencing_token = ?",
                last,
                key,
                token,
                seen);
        return numbered ? OptionalLong.of(last) : OptionalLong.empty();
    }

    long draw() throws SQLException {
        long drawn = session.changeGenerating("INSERT INTO " + table.numbers() + " () VALUES ()")
                .orElseThrow();
        // At random, since a server may draw only odd numbers, or every seventh.
        if (ThreadLocalRandom.current().nextInt(NUMBERS_LEFT) == 0) {
            forgetNumbers(drawn);
        }
        return drawn;
    }

    @Override
    void forgetNumbers(long below) throws SQLException {
        session.change("DELETE FROM " + table.numbers() + " WHERE n < ?", below);
    }

    /** In one transaction, since the server flushes each transaction to disk separately. */
    @Override
    final List<RenewResult> updateLeases(List<Lease> leases) throws SQLException {
        if (leases.size() == 1) {
            return super.updateLeases(leases);
        }
        Connection connection = session.connection();
        connection.setAutoCommit(false);
        try {
            List<RenewResult> results = super.updateLeases(leases);
            connection.commit();
            return results;
        } finally {
            connection.setAutoCommit(true); // commits part of a failed batch: a longer lease does no harm
        }
    }

    /** A greater number raises the counter; a smaller one does not change it. */
    @Override
    void raise(long floor) throws SQLException {
        session.change("INSERT IGNORE INTO " + table.numbers() + " (n) VALUES (?)", numberAbove(floor));
    }

    /** All tokens of later numbers exceed the floor. */
    static long numberAbove(long floor) {
        return floor / TOKENS_OF_A_NUMBER + 1;
    }
}
