package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.StoredKeys;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Executes the backend's commands on the table. Keys are stored keys; all times are the database's. Each statement is
 * its own transaction, except a batch of renewals, which may be one, and a grant in PostgreSQL. Subclasses have the SQL
 * of one database.
 *
 * <p>Acquiring has two steps: {@link #insert} or {@link #takeOver} writes the token into the row; {@link #number} then
 * draws a number, and writes it if the row still has the token. The order of fencing tokens rests on this invariant:
 * <em>a number counts only if it was drawn while the row had the token.</em> A number drawn earlier could be smaller
 * than that of an intermediate owner.
 */
abstract class LockRepository {

    /**
     * Fencing tokens for each drawn number, so that a grant can cover as many, whatever the increment of the sequence.
     * 2^53 / 1024 grants last 28 years at 10,000 a second.
     */
    static final int TOKENS_OF_A_NUMBER = 1024;

    /** Age from which a sweep deletes expired rows, and minimum time between sweeps. */
    static final Duration SWEPT_AFTER = Duration.ofHours(1);

    /** Rounds after concurrent changes of the row, until the lock counts as busy. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration SOON = Duration.ofMillis(1);

    private static final Duration CHECKED_LEASE = Duration.ofSeconds(10);

    private static final long MOST_MICROS = Duration.ofDays(36_500).toNanos() / 1_000;

    final JdbcSession session;
    final LockTable table;

    LockRepository(JdbcSession session, LockTable table) {
        this.session = session;
        this.table = table;
    }

    /**
     * A grant of a free lock takes two statements, in MySQL three: insert the row, draw a number, write it. A busy lock
     * takes an insert without effect and a read. PostgreSQL receives both in one message. With several permits, a read
     * of all slots comes first.
     */
    AcquireResult trySlots(List<String> slots, AcquireCommand command) throws SQLException {
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<AcquireResult> result = attempt(slots, command);
            if (result.isPresent()) {
                return result.get();
            }
        }
        return new AcquireResult.Contended(Optional.of(SOON), Waiting.NEW);
    }

    /** Tries the slot that the token holds, otherwise the first free one. A single slot is not read first. */
    private Optional<AcquireResult> attempt(List<String> slots, AcquireCommand command) throws SQLException {
        if (command.replaced().isPresent()) {
            return replace(slots.get(0), command, command.replaced().get());
        }
        List<LockRow> found = slots.size() == 1 ? List.of() : find(slots);
        List<LockRow> busy = found.stream().filter(row -> !row.isExpired()).toList();
        List<String> taken = busy.stream().map(LockRow::key).toList();
        Optional<String> slot = slotOf(command.token().value(), found)
                .or(() -> slots.stream().filter(each -> !taken.contains(each)).findFirst());
        return slot.isEmpty()
                ? Optional.of(contended(busy))
                : attempt(slot.get(), command).map(result -> inSlot(slots.indexOf(slot.get()), result));
    }

    /** Empty if the row changes concurrently. */
    private Optional<AcquireResult> replace(String key, AcquireCommand command, String replaced) throws SQLException {
        Optional<LockRow> row = find(key).filter(each -> !each.isExpired());
        if (row.isEmpty()) {
            return Optional.of(new AcquireResult.Contended(Optional.of(Duration.ZERO), Waiting.NEW));
        }
        if (!row.get().isOf(replaced)) {
            return answer(key, command, row.get());
        }
        return changeOwner(key, command.token().value(), command.lease(), "> " + now() + " AND owner = ?", replaced)
                ? numbered(key, command, 0)
                : Optional.empty();
    }

    private static Optional<String> slotOf(String token, List<LockRow> rows) {
        return rows.stream().filter(row -> row.isOf(token)).map(LockRow::key).findFirst();
    }

    private static AcquireResult inSlot(int slot, AcquireResult result) {
        return result instanceof AcquireResult.Granted granted
                ? new AcquireResult.Granted(granted.fencingToken(), 0, Optional.empty(), "", slot)
                : result;
    }

    private Optional<AcquireResult> attempt(String key, AcquireCommand command) throws SQLException {
        Optional<LockRow> row = take(key, command.token().value(), command.lease(), command.fencingTokens());
        return row.isPresent() ? answer(key, command, row.get()) : Optional.empty();
    }

    /** Empty if the row changes concurrently, or another owner has taken this one of several slots. */
    private Optional<AcquireResult> answer(String key, AcquireCommand command, LockRow row) throws SQLException {
        if (row.isExpired()) {
            return takeOver(key, command.token().value(), command.lease())
                    ? numbered(key, command, 0)
                    : Optional.empty();
        }
        if (row.isOf(command.token().value())) {
            return row.fencingToken() == 0 ? numbered(key, command, 0) : granted(key, command, row.fencingToken());
        }
        return command.permits() == 1 ? Optional.of(contended(List.of(row))) : Optional.empty();
    }

    private static AcquireResult contended(List<LockRow> busy) {
        LockRow next = Collections.min(busy, Comparator.comparing(LockRow::remaining));
        return new AcquireResult.Contended(
                Optional.of(next.remaining()),
                Waiting.NEW,
                next.holder().filter(holder -> holder.since().isPresent()),
                next.isKept());
    }

    /** Draws numbers until the first fencing token exceeds the floor. */
    private Optional<AcquireResult> numbered(String key, AcquireCommand command, long seen) throws SQLException {
        OptionalLong last = number(key, command.token().value(), seen, command.fencingTokens());
        return last.isPresent() ? granted(key, command, last.getAsLong()) : Optional.empty();
    }

    private Optional<AcquireResult> granted(String key, AcquireCommand command, long last) throws SQLException {
        long first = last - command.fencingTokens() + 1;
        if (first > command.fencingFloor()) {
            return Optional.of(new AcquireResult.Granted(first, 0));
        }
        // Numbers were lost, for example with a restored backup, or the application used another store before.
        raise(command.fencingFloor());
        return numbered(key, command, last);
    }

    /**
     * Searches several slots for the token's. The end of a wait only frees a lock that a late attempt may have
     * acquired: there is no queue to leave.
     */
    ReleaseResult freeSlots(String key, List<String> slots, ReleaseCommand command) throws SQLException {
        String token = command.token().value();
        if (command.endsWait()) {
            if (command.token().number() != LockToken.NO_ATTEMPT) {
                free(key, token);
            }
            return new ReleaseResult.Released(0);
        }
        String slot =
                slots.size() == 1 ? slots.get(0) : slotOf(token, find(slots)).orElse(key);
        boolean kept = !command.minHold().isZero();
        if (kept && keep(slot, token, command.minHold())) {
            return rest(slot, command).orElseGet(() -> new ReleaseResult.Released(0));
        }
        if (free(slot, token)) {
            return new ReleaseResult.Released(0);
        }
        return kept ? rest(slot, command).orElseGet(ReleaseResult.NotHeld::new) : new ReleaseResult.NotHeld();
    }

    /** The rest of the minimum lock time, if it belongs to this grant. */
    private Optional<ReleaseResult> rest(String slot, ReleaseCommand command) throws SQLException {
        return find(slot)
                .filter(row -> row.isKept() && !row.isExpired() && row.fencingToken() == command.fencingToken())
                .map(row -> new ReleaseResult.Kept(row.remaining(), 0));
    }

    StoredLock inspect(String slot) throws SQLException {
        return stored(find(slot));
    }

    /** Reports no waiters: the table does not count them. */
    private static StoredLock stored(Optional<LockRow> looked) {
        return looked.filter(row -> !row.isExpired())
                .<StoredLock>map(row -> row.isKept()
                        ? new StoredLock.Kept(row.remaining(), row.fencingToken(), 0)
                        : new StoredLock.Held(row.holder(), Optional.of(row.remaining()), row.fencingToken(), 0))
                .orElseGet(() -> new StoredLock.Free(0, 0));
    }

    Revocation revoke(String slot, long fencingToken) throws SQLException {
        Optional<LockRow> seen = find(slot);
        boolean same = fencingToken > 0
                && seen.filter(row -> !row.isExpired() && row.fencingToken() == fencingToken)
                        .isPresent();
        if (same && deleteRevoked(slot, fencingToken)) {
            return new Revocation.Revoked();
        }
        return new Revocation.Stale(stored(same ? find(slot) : seen));
    }

    /** Executes the statements of a lock on a test key, then sweeps. Returns why the table cannot be used, if so. */
    Optional<SqlFailure> check(String key) throws SQLException {
        String token = UUID.randomUUID().toString();
        String other = UUID.randomUUID().toString();
        String upperCase = key.toUpperCase(Locale.ROOT);
        insert(key, token, CHECKED_LEASE);
        try {
            number(key, token, 0, 1);
            forgetNumbers(0);
            updateLeases(List.of(new Lease(key, token, CHECKED_LEASE)));
            if (insert(key, other, CHECKED_LEASE)) {
                return Optional.of(SqlFailure.ofTable(
                        "The table takes a second row of the same key, so that a lock would have two owners",
                        "Make lock_key its primary key, as the script does"));
            }
            if (!insert(upperCase, other, CHECKED_LEASE)) {
                return Optional.of(SqlFailure.ofTable(
                        "The table takes two keys for one that differ in upper and lower case",
                        "Give lock_key a collation that tells them apart, as the script does; in H2, leave"
                                + " IGNORECASE out"));
            }
        } finally {
            free(key, token);
            free(key, other);
            free(upperCase, other);
        }
        sweep(SWEPT_AFTER);
        return problemOfNumbers().map(problem -> SqlFailure.ofTable(problem, "Set CACHE 1 with ALTER SEQUENCE"));
    }

    abstract String now();

    /** SQL for the column's time plus a parameter in microseconds. */
    abstract String laterThan(String column);

    abstract String microsUntil(String time);

    final String later() {
        return laterThan(now());
    }

    /**
     * Acquires the lock if there is no row. Returns the row afterwards, of any owner; empty if it changes concurrently.
     * The number of fencing tokens is for a database that numbers the grant in the same step.
     */
    Optional<LockRow> take(String key, String token, Duration lease, int tokens) throws SQLException {
        return insert(key, token, lease)
                ? Optional.of(new LockRow(key, Optional.of(token), 0, micros(lease)))
                : find(key);
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
        return changeOwner(key, token, lease, "<= " + now());
    }

    /** The end of the lease fulfils the condition, which may have further parameters. */
    private boolean changeOwner(String key, String token, Duration lease, String condition, Object... parameters)
            throws SQLException {
        return session.change(
                "UPDATE " + table.name() + " SET owner = ?, fencing_token = 0, granted_at = " + now()
                        + ", lock_until = " + later() + " WHERE lock_key = ? AND lock_until " + condition,
                Stream.concat(Stream.<Object>of(token, micros(lease), key), Stream.of(parameters))
                        .toArray());
    }

    /**
     * Numbers the grant if the row has the token and the number seen, which is 0 or too small. Returns its last fencing
     * token; empty if the row has another owner or number.
     */
    abstract OptionalLong number(String key, String token, long seen, int tokens) throws SQLException;

    /** Deletes numbers that were drawn earlier, if the database stores them. */
    void forgetNumbers(long below) throws SQLException {}

    /** Makes all tokens drawn later exceed the floor, which is stored in a row of its own. */
    void raise(long floor) throws SQLException {
        String row = table.name() + " (lock_key, fencing_token, granted_at, lock_until) VALUES (?, ?, " + now()
                + ", TIMESTAMP WITH TIME ZONE '9999-12-31 00:00:00Z')";
        if (!insertIfAbsent(row, StoredKeys.FLOOR, floor)) {
            session.change(
                    "UPDATE " + table.name() + " SET fencing_token = GREATEST(fencing_token, ?) WHERE lock_key = ?",
                    floor,
                    StoredKeys.FLOOR);
        }
    }

    final Optional<LockRow> find(String key) throws SQLException {
        return find(List.of(key)).stream().findFirst();
    }

    final List<LockRow> find(List<String> keys) throws SQLException {
        try (PreparedStatement statement = session.prepare(selection("fencing_token", keys.size()), keys.toArray())) {
            return read(statement.executeQuery());
        }
    }

    /** SQL that reads rows; parameters: the keys. */
    final String selection(String fencingToken, int keys) {
        return "SELECT lock_key, owner, " + fencingToken + ", " + microsUntil("lock_until") + " FROM "
                + table.name() + " WHERE lock_key "
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
                        looked.getLong(4)));
            }
            return rows;
        }
    }

    /** Changes the row even if its lease is longer: a driver may count only changed rows. */
    List<RenewResult> updateLeases(List<Lease> leases) throws SQLException {
        String sql = "UPDATE " + table.name() + " SET lock_until = GREATEST(" + laterThan("lock_until") + ", " + later()
                + ") WHERE lock_key = ? AND owner = ? AND lock_until > " + now();
        int[] counts = session.executeBatch(
                sql,
                leases.stream()
                        .map(lease -> new Object[] {1L, micros(lease.duration()), lease.key(), lease.token()})
                        .toList());
        List<RenewResult> results = new ArrayList<>(counts.length);
        for (int i = 0; i < counts.length; i++) {
            results.add(isRenewed(leases.get(i), counts[i]) ? new RenewResult.Renewed() : new RenewResult.NotHeld());
        }
        return results;
    }

    /** A driver that rewrites a batch as one statement may not know the count of each row. */
    private boolean isRenewed(Lease lease, int count) throws SQLException {
        return count == PreparedStatement.SUCCESS_NO_INFO ? isHeld(lease) : count > 0;
    }

    record Lease(String key, String token, Duration duration) {}

    private boolean isHeld(Lease lease) throws SQLException {
        return find(lease.key())
                .filter(row -> !row.isExpired() && row.isOf(lease.token()))
                .isPresent();
    }

    final boolean free(String slot, String token) throws SQLException {
        return session.change("DELETE FROM " + table.name() + " WHERE lock_key = ? AND owner = ?", slot, token);
    }

    /** Keeps the row without an owner, if it has the token and time is left. */
    private boolean keep(String slot, String token, Duration minHold) throws SQLException {
        long micros = micros(minHold);
        return session.change(
                "UPDATE " + table.name() + " SET owner = NULL, lock_until = " + laterThan("granted_at")
                        + " WHERE lock_key = ? AND owner = ? AND " + laterThan("granted_at") + " > " + now(),
                micros,
                slot,
                token,
                micros);
    }

    private boolean deleteRevoked(String slot, long fencingToken) throws SQLException {
        return session.change(
                "DELETE FROM " + table.name() + " WHERE lock_key = ? AND fencing_token = ? AND lock_until > " + now(),
                slot,
                fencingToken);
    }

    boolean sweep(Duration age) throws SQLException {
        return session.change(
                "DELETE FROM " + table.name() + " WHERE " + laterThan("lock_until") + " < " + now(), micros(age));
    }

    /** Fails unless locks can be granted, by a grant for a key that no caller can have. Returns empty. */
    final Optional<String> probe() throws SQLException {
        LockToken token = new LockToken(UUID.randomUUID().toString(), 1);
        String key = "%probe:" + token.value();
        try {
            attempt(key, new AcquireCommand(key, token, CHECKED_LEASE, 0, 1, Optional.empty()));
        } catch (SQLException e) {
            try {
                free(key, token.value());
            } catch (SQLException next) {
                e.addSuppressed(next);
            }
            throw e;
        }
        free(key, token.value());
        return Optional.empty();
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

    /** Rounded up, at most a century. */
    static long micros(Duration time) {
        return time.compareTo(Duration.ofDays(36_500)) >= 0 ? MOST_MICROS : (time.toNanos() + 999) / 1_000;
    }
}
