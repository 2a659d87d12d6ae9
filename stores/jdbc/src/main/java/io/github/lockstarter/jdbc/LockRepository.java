package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.jdbc.LockRows.Lease;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.UUID;

/** Executes the backend's commands as statements on rows. Keys are stored keys. */
record LockRepository(LockRows rows) {

    /** Age from which a sweep deletes expired rows, and the minimum time between sweeps after the one at the start. */
    static final Duration SWEPT_AFTER = Duration.ofHours(1);

    /** Rounds after concurrent changes of the row, until the lock counts as busy. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration SOON = Duration.ofMillis(1);

    private static final Duration CHECKED_LEASE = Duration.ofSeconds(10);

    /**
     * Makes an attempt. Granting a free lock takes two statements, in MySQL and MariaDB three: insert the row, draw a
     * number, write it. A busy lock takes two: an insert without effect, and a read. PostgreSQL receives both in one
     * message. With several permits, a read of all slots comes first.
     *
     * @param slots one for each permit
     */
    AcquireResult acquire(List<String> slots, AcquireCommand command) throws SQLException {
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
        List<LockRow> found = slots.size() == 1 ? List.of() : rows.find(slots);
        List<LockRow> busy = found.stream().filter(row -> !row.isExpired()).toList();
        List<String> taken = busy.stream().map(LockRow::key).toList();
        Optional<String> slot = slotOf(command.token(), found)
                .or(() -> slots.stream().filter(each -> !taken.contains(each)).findFirst());
        return slot.isEmpty()
                ? contended(busy, command)
                : attempt(slot.get(), command).map(result -> inSlot(slots.indexOf(slot.get()), result));
    }

    private static Optional<String> slotOf(LockToken token, List<LockRow> rows) {
        return rows.stream().filter(row -> row.isOf(token)).map(LockRow::key).findFirst();
    }

    private static AcquireResult inSlot(int slot, AcquireResult result) {
        return result instanceof AcquireResult.Granted granted
                ? new AcquireResult.Granted(granted.fencingToken(), 0, Optional.empty(), "", slot)
                : result;
    }

    private Optional<AcquireResult> attempt(String key, AcquireCommand command) throws SQLException {
        Optional<LockRow> row = rows.take(key, command.token().value(), command.lease(), command.fencingTokens());
        return row.isPresent() ? answer(key, command, row.get()) : Optional.empty();
    }

    /** Empty if the row changes concurrently, or another owner has taken this one of several slots. */
    private Optional<AcquireResult> answer(String key, AcquireCommand command, LockRow row) throws SQLException {
        if (row.isExpired()) {
            return rows.takeOver(key, command.token().value(), command.lease())
                    ? numbered(key, command, 0)
                    : Optional.empty();
        }
        if (row.isOf(command.token())) {
            return row.fencingToken() == 0
                    ? numbered(key, command, 0)
                    : granted(key, command, row.fencingToken() - command.fencingTokens() + 1);
        }
        return command.permits() == 1 ? contended(List.of(row), command) : Optional.empty();
    }

    /**
     * All slots are held. For a waiter, marks their rows, so that each release notifies; empty if a row has changed.
     */
    private Optional<AcquireResult> contended(List<LockRow> busy, AcquireCommand command) throws SQLException {
        for (LockRow row : busy) {
            if (command.waiting().isPresent() && !row.isWanted() && !rows.markWanted(row)) {
                return Optional.empty();
            }
        }
        LockRow next = Collections.min(busy, Comparator.comparing(LockRow::remaining));
        return Optional.of(new AcquireResult.Contended(
                Optional.of(next.remaining()),
                Waiting.NEW,
                next.holder().filter(holder -> holder.since().isPresent()),
                next.isKept()));
    }

    /** The token has the row: draws numbers until the first fencing token exceeds the floor. */
    private Optional<AcquireResult> numbered(String key, AcquireCommand command, long seen) throws SQLException {
        OptionalLong first = rows.number(key, command.token().value(), seen, command.fencingTokens());
        return first.isPresent() ? granted(key, command, first.getAsLong()) : Optional.empty();
    }

    private Optional<AcquireResult> granted(String key, AcquireCommand command, long first) throws SQLException {
        if (first > command.fencingFloor()) {
            return Optional.of(new AcquireResult.Granted(first, 0));
        }
        // Numbers were lost, for example with a restored backup, or the application used another store before.
        rows.raise(command.fencingFloor());
        return numbered(key, command, first + command.fencingTokens() - 1);
    }

    List<RenewResult> renew(List<Lease> leases) throws SQLException {
        return rows.renew(leases).stream()
                .<RenewResult>map(isHeld -> isHeld ? new RenewResult.Renewed() : new RenewResult.NotHeld())
                .toList();
    }

    /**
     * Releases with one statement if the token holds the lock. The end of a wait only frees a lock that a late attempt
     * may have acquired: there is no queue to leave, and no signal to pass on, since a release notifies all waiters.
     *
     * @param slots the token's slot; several are searched for it
     */
    ReleaseResult release(String key, List<String> slots, ReleaseCommand command) throws SQLException {
        String token = command.token().value();
        if (command.endsWait()) {
            if (command.token().sequence() != LockToken.NO_ATTEMPT) {
                rows.free(key, key, token);
            }
            return new ReleaseResult.Released(0);
        }
        String slot = slots.size() == 1
                ? slots.get(0)
                : slotOf(command.token(), rows.find(slots)).orElse(key);
        boolean isKept = !command.atLeast().isZero();
        if (isKept && rows.keep(key, slot, token, command.atLeast())) {
            return rest(slot, command).orElseGet(() -> new ReleaseResult.Released(0));
        }
        if (rows.free(key, slot, token)) {
            return new ReleaseResult.Released(0);
        }
        return isKept ? rest(slot, command).orElseGet(ReleaseResult.NotHeld::new) : new ReleaseResult.NotHeld();
    }

    /** The rest of the minimum lock time, if it belongs to this grant. */
    private Optional<ReleaseResult> rest(String slot, ReleaseCommand command) throws SQLException {
        return rows.find(slot)
                .filter(row -> row.isKept() && !row.isExpired() && row.fencingToken() == command.fencingToken())
                .map(row -> new ReleaseResult.Kept(row.remaining(), 0));
    }

    StoredLock inspect(String slot) throws SQLException {
        return stored(rows.find(slot));
    }

    /** Reports at most one waiter: the table does not count them. */
    private static StoredLock stored(Optional<LockRow> looked) {
        return looked.filter(row -> !row.isExpired())
                .<StoredLock>map(row -> row.isKept()
                        ? new StoredLock.Kept(row.remaining(), row.fencingToken(), 0)
                        : new StoredLock.Held(
                                row.holder(), Optional.of(row.remaining()), row.fencingToken(), row.isWanted() ? 1 : 0))
                .orElseGet(() -> new StoredLock.Free(0, 0));
    }

    /**
     * Revokes a lock.
     *
     * @param fencingToken the owner's last, as the operator saw it
     */
    Revocation revoke(String key, String slot, long fencingToken) throws SQLException {
        Optional<LockRow> seen = rows.find(slot);
        boolean isSame = fencingToken > 0
                && seen.filter(row -> !row.isExpired() && row.fencingToken() == fencingToken)
                        .isPresent();
        if (isSame && rows.revoke(key, seen.get())) {
            return new Revocation.Revoked();
        }
        return new Revocation.Stale(stored(isSame ? rows.find(slot) : seen));
    }

    /**
     * Executes the statements of a lock on a test key, then sweeps.
     *
     * @return why the table cannot be used; empty if it can
     */
    Optional<SqlFailure> check(String key) throws SQLException {
        String token = UUID.randomUUID().toString();
        String other = UUID.randomUUID().toString();
        rows.probe();
        rows.insert(key, token, CHECKED_LEASE);
        try {
            rows.number(key, token, 0, 1);
            rows.renew(List.of(new Lease(key, token, CHECKED_LEASE)));
            if (rows.insert(key, other, CHECKED_LEASE)) {
                return Optional.of(SqlFailure.ofTable(
                        "The table takes a second row of the same key, so that a lock would have two owners",
                        "Make lock_key its primary key, as the script does"));
            }
        } finally {
            rows.free(key, key, token);
            rows.free(key, key, other);
        }
        sweep();
        return rows.problemOfNumbers().map(problem -> SqlFailure.ofTable(problem, "Set CACHE 1 with ALTER SEQUENCE"));
    }

    /** Returns true. */
    boolean sweep() throws SQLException {
        rows.sweep(SWEPT_AFTER);
        return true;
    }

    /** Returns true. */
    boolean sendNotice(String notice) throws SQLException {
        rows.sendNotice(notice);
        return true;
    }

    /** Returns empty. */
    Optional<String> probe() throws SQLException {
        rows.probe();
        return Optional.empty();
    }
}
