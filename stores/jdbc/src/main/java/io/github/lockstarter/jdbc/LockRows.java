package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.StoredKeys;
import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * The statements on the table, each a transaction of its own but for renewals, of which a batch may be one, and for a
 * grant in PostgreSQL, on one connection in auto-commit mode. All times are those of the database. Belongs to one
 * thread.
 *
 * <p>A lock is taken in two steps: {@link #insert} or {@link #takeOver} writes the token into the row, and {@link
 * #number} then draws a number and writes it into the row if the token still has it. The invariant behind the order of
 * fencing tokens: <em>a number counts only if it was drawn while the row had the token.</em> A number that was drawn
 * before the row was taken could be smaller than that of an owner that came and went in between.
 */
abstract class LockRows {

    /**
     * How many fencing tokens a drawn number stands for, so that each grant can cover as many, whatever the increment
     * of the sequence is. 2^53 / 1024 grants are enough for 28 years at 10,000 a second.
     */
    static final int TOKENS_OF_A_NUMBER = 1024;

    private static final long MOST_MICROS = Duration.ofDays(36_500).toNanos() / 1_000;

    final Connection connection;
    final LockTable table;
    final int timeoutSeconds;
    private boolean changed;

    LockRows(Connection connection, LockTable table, Duration timeout) {
        this.connection = connection;
        this.table = table;
        this.timeoutSeconds = seconds(timeout);
    }

    /** When the driver cancels a statement, which it counts in seconds: not before the timeout. */
    static int seconds(Duration timeout) {
        return (int) Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    /** The present time. */
    abstract String now();

    /** A column with a time plus as many microseconds as a parameter says. */
    abstract String laterThan(String column);

    /** Microseconds until a time. */
    abstract String microsUntil(String time);

    /** The present time plus as many microseconds as a parameter says. */
    final String later() {
        return laterThan(now());
    }

    /** Whether the release of a row notifies. */
    String wanted() {
        return "1 = 0";
    }

    /** Whether a row was written. */
    boolean isChanged() {
        return changed;
    }

    /**
     * Takes the lock and numbers the grant if there is no row.
     *
     * @param tokens how many fencing tokens the grant covers
     * @return the row afterwards, of whatever owner; empty if it changes meanwhile
     */
    Optional<LockRow> take(String key, String token, Duration lease, int tokens) throws SQLException {
        if (!insert(key, token, lease)) {
            return look(key);
        }
        OptionalLong first = number(key, token, 0, tokens);
        return first.isPresent()
                ? Optional.of(
                        new LockRow(key, Optional.of(token), first.getAsLong() + tokens - 1, micros(lease), false))
                : Optional.empty();
    }

    /** Takes the lock if there is no row. */
    final boolean insert(String key, String token, Duration lease) throws SQLException {
        return insertUnlessThere(newRow(), key, token, micros(lease));
    }

    /** Columns and values of a new row: the parameters are key, token and lease. */
    final String newRow() {
        return table.name() + " (lock_key, owner, fencing_token, granted_at, lock_until) VALUES (?, ?, 0, " + now()
                + ", " + later() + ")";
    }

    /** Inserts a row unless there is one of the same key; one that comes at the same moment is no error. */
    abstract boolean insertUnlessThere(String row, @Nullable Object... parameters) throws SQLException;

    /** Takes the lock if the row is over. */
    boolean takeOver(String key, String token, Duration lease) throws SQLException {
        return change(
                "UPDATE " + table.name() + " SET owner = ?, fencing_token = 0, granted_at = " + now()
                        + ", lock_until = " + later() + " WHERE lock_key = ? AND lock_until <= " + now(),
                token,
                micros(lease),
                key);
    }

    /**
     * Numbers the grant, if the token has the row and its number is the one that was seen.
     *
     * @param seen 0, or a number that is too small
     * @param tokens how many fencing tokens the grant covers
     * @return the first of them; empty if the token does not have the row, or it was numbered before
     */
    abstract OptionalLong number(String key, String token, long seen, int tokens) throws SQLException;

    /** Makes every token that is drawn from now on greater than this: a row that is no lock has what was raised. */
    void raise(long floor) throws SQLException {
        String row = table.name() + " (lock_key, fencing_token, granted_at, lock_until) VALUES (?, ?, " + now()
                + ", TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00Z')";
        if (!insertUnlessThere(row, StoredKeys.FLOOR, floor)) {
            change(
                    "UPDATE " + table.name() + " SET fencing_token = GREATEST(fencing_token, ?) WHERE lock_key = ?",
                    floor,
                    StoredKeys.FLOOR);
        }
    }

    final Optional<LockRow> look(String key) throws SQLException {
        return look(List.of(key)).stream().findFirst();
    }

    /** Those of the rows that are there, in no order. */
    final List<LockRow> look(List<String> keys) throws SQLException {
        try (PreparedStatement statement = prepare(looking("fencing_token", keys.size()), keys.toArray())) {
            return read(statement.executeQuery());
        }
    }

    /** Reads the rows of so many keys, which are the parameters. */
    final String looking(String fencingToken, int keys) {
        return "SELECT lock_key, owner, " + fencingToken + ", " + microsUntil("lock_until") + ", CASE WHEN " + wanted()
                + " THEN 1 ELSE 0 END FROM " + table.name() + " WHERE lock_key "
                + (keys == 1 ? "= ?" : "IN (?" + ", ?".repeat(keys - 1) + ")");
    }

    static List<LockRow> read(ResultSet looked) throws SQLException {
        try (looked) {
            List<LockRow> rows = new ArrayList<>();
            while (looked.next()) {
                rows.add(new LockRow(
                        looked.getString(1),
                        Optional.ofNullable(looked.getString(2)),
                        looked.getLong(3),
                        looked.getLong(4),
                        looked.getInt(5) == 1));
            }
            return rows;
        }
    }

    /** Has the release of a row notify; false if the row is another one by now. */
    boolean markWanted(LockRow row) throws SQLException {
        return true;
    }

    /**
     * Makes leases end no earlier than the given times from now.
     *
     * @return which of the rows had the token
     */
    List<Boolean> renew(List<Lease> leases) throws SQLException {
        String sql = "UPDATE " + table.name() + " SET lock_until = GREATEST(lock_until, " + later()
                + ") WHERE lock_key = ? AND owner = ? AND lock_until > " + now();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            limit(statement);
            for (Lease lease : leases) {
                bind(statement, micros(lease.duration()), lease.key(), lease.token());
                statement.addBatch();
            }
            int[] counts = execute(statement);
            List<Boolean> renewed = new ArrayList<>(counts.length);
            for (int i = 0; i < counts.length; i++) {
                renewed.add(isRenewed(leases.get(i), counts[i]));
            }
            return renewed;
        }
    }

    /** By the count of the rows; a driver that sends a batch as one statement may not know it. */
    boolean isRenewed(Lease lease, int count) throws SQLException {
        return count == PreparedStatement.SUCCESS_NO_INFO ? isHeld(lease) : count > 0;
    }

    /** The message of a failed batch may have the values of its parameters, and so lock tokens. */
    private static int[] execute(PreparedStatement batch) throws SQLException {
        try {
            return batch.executeBatch();
        } catch (BatchUpdateException e) {
            SQLException reason = e.getNextException();
            if (reason != null && !(reason instanceof BatchUpdateException)) {
                throw reason;
            }
            throw new SQLException("a batch of renewals failed", e.getSQLState(), e.getErrorCode());
        }
    }

    /** How long a token keeps a key. */
    record Lease(String key, String token, Duration duration) {}

    final boolean isHeld(Lease lease) throws SQLException {
        return look(lease.key())
                .filter(row -> !row.isOver()
                        && row.owner().filter(lease.token()::equals).isPresent())
                .isPresent();
    }

    /** Frees the row of a slot if the token has it, and notifies those that wait for the key. */
    final boolean free(String key, String slot, String token) throws SQLException {
        return giveUp(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ?",
                PostgresNotice.free(key),
                slot,
                token);
    }

    /** Gives the row to no owner for the rest of its minimum time, if the token has it and a part is left. */
    final boolean keep(String key, String slot, String token, Duration atLeast) throws SQLException {
        long micros = micros(atLeast);
        return giveUp(
                "UPDATE " + table.name() + " SET owner = NULL, lock_until = " + laterThan("granted_at")
                        + " WHERE lock_key = ? AND owner = ? AND " + laterThan("granted_at") + " > " + now(),
                PostgresNotice.free(key),
                micros,
                slot,
                token,
                micros);
    }

    /** Frees the row for an operator, if the last fencing token is the one that was seen. */
    final boolean revoke(String key, LockRow seen) throws SQLException {
        return giveUp(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND fencing_token = ? AND lock_until > " + now(),
                PostgresNotice.revoked(key, seen.owner()),
                seen.key(),
                seen.fencingToken());
    }

    /** Carries a statement out that changes at most one row, and notifies if that is wanted. */
    boolean giveUp(String sql, PostgresNotice notice, Object... parameters) throws SQLException {
        return change(sql, parameters);
    }

    /** Notifies all instances; nothing where the database cannot. */
    void tell(String notice) throws SQLException {}

    /** Deletes what ended long ago: of holders that crashed, and of minimum times. */
    void sweep(Duration age) throws SQLException {
        change("DELETE FROM " + table.name() + " WHERE " + laterThan("lock_until") + " < " + now(), micros(age));
    }

    /** Fails unless the table is there and can be written; changes nothing. */
    void probe() throws SQLException {
        change("DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ?", StoredKeys.FLOOR, "");
    }

    /** Why the numbers would not grow from grant to grant as they are configured; empty if they do. */
    Optional<String> problemOfNumbers() throws SQLException {
        return Optional.empty();
    }

    /**
     * Numbers a grant with the next number of a sequence, above all tokens that were raised: the parameters are the
     * number of tokens, the key, the token, and the number that was seen.
     */
    final String numbering(String nextNumber) {
        return "UPDATE " + table.name() + " SET fencing_token = (" + nextNumber + " - 1) * " + TOKENS_OF_A_NUMBER
                + " + COALESCE((SELECT MAX(raised.fencing_token) FROM " + table.name()
                + " raised WHERE raised.lock_key = '" + StoredKeys.FLOOR
                + "'), 0) + ? WHERE lock_key = ? AND owner = ? AND fencing_token = ?";
    }

    /** The first of as many tokens, if one was written into the row. */
    final OptionalLong firstOf(int tokens, OptionalLong last) {
        note(last.isPresent());
        return last.isPresent() ? OptionalLong.of(last.getAsLong() - tokens + 1) : last;
    }

    final boolean change(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return note(statement.executeUpdate() > 0);
        }
    }

    final boolean note(boolean isChange) {
        changed |= isChange;
        return isChange;
    }

    /** The number in the first column of the only row, if there is one. */
    final OptionalLong ask(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
        }
    }

    final PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        PreparedStatement statement = connection.prepareStatement(sql);
        try {
            limit(statement);
            bind(statement, parameters);
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    /** Ends the statement if it takes longer than a command may. */
    void limit(PreparedStatement statement) throws SQLException {
        statement.setQueryTimeout(timeoutSeconds);
    }

    private static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof Long number) {
                statement.setLong(i + 1, number);
            } else {
                statement.setString(i + 1, (String) parameters[i]);
            }
        }
    }

    /** At least as long; no longer than a century. */
    static long micros(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) >= 0 ? MOST_MICROS : (time.toNanos() + 999) / 1_000;
    }
}
