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
 * The statements on the table, on one connection in auto-commit mode. Each is its own transaction, except a batch of
 * renewals, which may be one, and a grant in PostgreSQL. All times are the database's. Belongs to one thread.
 *
 * <p>Acquiring has two steps: {@link #insert} or {@link #takeOver} writes the token into the row; {@link #number} then
 * draws a number, and writes it if the row still has the token. The order of fencing tokens rests on this invariant:
 * <em>a number counts only if it was drawn while the row had the token.</em> A number drawn earlier could be smaller
 * than that of an intermediate owner.
 */
abstract class LockRows {

    /**
     * Fencing tokens for each drawn number, so that a grant can cover as many, whatever the increment of the sequence.
     * 2^53 / 1024 grants last 28 years at 10,000 a second.
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

    /** The query timeout, which drivers count in seconds: rounded up. */
    static int seconds(Duration timeout) {
        return (int) Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    abstract String now();

    /** SQL for the column's time plus a parameter in microseconds. */
    abstract String laterThan(String column);

    abstract String microsUntil(String time);

    final String later() {
        return laterThan(now());
    }

    /** SQL condition: whether the row's release notifies. */
    String wanted() {
        return "1 = 0";
    }

    boolean isChanged() {
        return changed;
    }

    /**
     * Acquires the lock and numbers the grant if there is no row.
     *
     * @param tokens number of fencing tokens that the grant covers
     * @return the row afterwards, of any owner; empty if it changes concurrently
     */
    Optional<LockRow> take(String key, String token, Duration lease, int tokens) throws SQLException {
        if (!insert(key, token, lease)) {
            return find(key);
        }
        OptionalLong first = number(key, token, 0, tokens);
        return first.isPresent()
                ? Optional.of(
                        new LockRow(key, Optional.of(token), first.getAsLong() + tokens - 1, micros(lease), false))
                : Optional.empty();
    }

    final boolean insert(String key, String token, Duration lease) throws SQLException {
        return insertIfAbsent(newRow(), key, token, micros(lease));
    }

    /** SQL for a new row; parameters: key, token, lease. */
    final String newRow() {
        return table.name() + " (lock_key, owner, fencing_token, granted_at, lock_until) VALUES (?, ?, 0, " + now()
                + ", " + later() + ")";
    }

    /** Returns false if the key exists, even if it is inserted concurrently. */
    abstract boolean insertIfAbsent(String row, @Nullable Object... parameters) throws SQLException;

    boolean takeOver(String key, String token, Duration lease) throws SQLException {
        return change(
                "UPDATE " + table.name() + " SET owner = ?, fencing_token = 0, granted_at = " + now()
                        + ", lock_until = " + later() + " WHERE lock_key = ? AND lock_until <= " + now(),
                token,
                micros(lease),
                key);
    }

    /**
     * Numbers the grant if the row has the token and the number seen.
     *
     * @param seen 0, or a number that is too small
     * @param tokens number of fencing tokens that the grant covers
     * @return the first of them; empty if the row has another owner or number
     */
    abstract OptionalLong number(String key, String token, long seen, int tokens) throws SQLException;

    /** Makes all tokens drawn later exceed the floor, which is stored in a row of its own. */
    void raise(long floor) throws SQLException {
        String row = table.name() + " (lock_key, fencing_token, granted_at, lock_until) VALUES (?, ?, " + now()
                + ", TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00Z')";
        if (!insertIfAbsent(row, StoredKeys.FLOOR, floor)) {
            change(
                    "UPDATE " + table.name() + " SET fencing_token = GREATEST(fencing_token, ?) WHERE lock_key = ?",
                    floor,
                    StoredKeys.FLOOR);
        }
    }

    final Optional<LockRow> find(String key) throws SQLException {
        return find(List.of(key)).stream().findFirst();
    }

    /** The existing rows, in no order. */
    final List<LockRow> find(List<String> keys) throws SQLException {
        try (PreparedStatement statement = prepare(selection("fencing_token", keys.size()), keys.toArray())) {
            return read(statement.executeQuery());
        }
    }

    /** SQL that reads rows; parameters: the keys. */
    final String selection(String fencingToken, int keys) {
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

    /** Makes the row's release notify; false if the owner has changed. */
    boolean markWanted(LockRow row) throws SQLException {
        return true;
    }

    /**
     * Extends leases to at least the given durations from now.
     *
     * @return for each lease, whether the row had the token
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

    /** A driver that rewrites a batch as one statement may not know the count of each row. */
    boolean isRenewed(Lease lease, int count) throws SQLException {
        return count == PreparedStatement.SUCCESS_NO_INFO ? isHeld(lease) : count > 0;
    }

    /** Omits the message of a failed batch, which may contain parameter values and so lock tokens. */
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

    record Lease(String key, String token, Duration duration) {}

    final boolean isHeld(Lease lease) throws SQLException {
        return find(lease.key())
                .filter(row -> !row.isExpired()
                        && row.owner().filter(lease.token()::equals).isPresent())
                .isPresent();
    }

    /** Deletes the slot's row if it has the token, and notifies the waiters of the key. */
    final boolean free(String key, String slot, String token) throws SQLException {
        return giveUp(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ?",
                PostgresNotice.free(key),
                slot,
                token);
    }

    /** Keeps the row without an owner for the rest of its minimum time, if it has the token and time is left. */
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

    /** Deletes the row for an operator if its last fencing token is still the one seen. */
    final boolean revoke(String key, LockRow seen) throws SQLException {
        return giveUp(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND fencing_token = ? AND lock_until > " + now(),
                PostgresNotice.revoked(key, seen.owner()),
                seen.key(),
                seen.fencingToken());
    }

    /** Executes a statement that changes at most one row, and notifies if that row wants it. */
    boolean giveUp(String sql, PostgresNotice notice, Object... parameters) throws SQLException {
        return change(sql, parameters);
    }

    /** Notifies all instances where the database can. */
    void sendNotice(String notice) throws SQLException {}

    /** Deletes rows that expired before the given age. */
    void sweep(Duration age) throws SQLException {
        change("DELETE FROM " + table.name() + " WHERE " + laterThan("lock_until") + " < " + now(), micros(age));
    }

    /** Fails unless the table exists and can be written; changes nothing. */
    void probe() throws SQLException {
        change("DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ?", StoredKeys.FLOOR, "");
    }

    /** Why the configured numbers would not increase from grant to grant; empty if they do. */
    Optional<String> problemOfNumbers() throws SQLException {
        return Optional.empty();
    }

    /** SQL that numbers a grant above the raised floor; parameters: number of tokens, key, token, number seen. */
    final String numbering(String nextNumber) {
        return "UPDATE " + table.name() + " SET fencing_token = (" + nextNumber + " - 1) * " + TOKENS_OF_A_NUMBER
                + " + COALESCE((SELECT MAX(raised.fencing_token) FROM " + table.name()
                + " raised WHERE raised.lock_key = '" + StoredKeys.FLOOR
                + "'), 0) + ? WHERE lock_key = ? AND owner = ? AND fencing_token = ?";
    }

    /** The first of the tokens that end with the last one; empty if none was written. */
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

    /** The first column of the only row, if any. */
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

    /** Cancels the statement at the command timeout. */
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

    /** Rounded up, at most a century. */
    static long micros(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) >= 0 ? MOST_MICROS : (time.toNanos() + 999) / 1_000;
    }
}
