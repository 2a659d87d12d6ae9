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

/**
 * The commands of the backend as statements on the rows of the table. Keys are as they are stored.
 *
 * @param rows of one connection
 */
record LockRepository(LockRows rows) {

    /** When rows of locks that ended by themselves are deleted, at the start and about once in this time. */
    static final Duration SWEPT_AFTER = Duration.ofHours(1);

    /** How often the row may change under an attempt before it counts as busy. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration SOON = Duration.ofMillis(1);

    /** Of the lock that is taken to check the table. */
    private static final Duration CHECKED_LEASE = Duration.ofSeconds(10);

    /**
     * Makes an attempt. A free lock takes two statements, in MySQL and MariaDB three: insert the row, draw a number,
     * write it. A busy one takes two: an insertion without effect, and a look at the row. PostgreSQL gets them in one
     * message. With several permits, a look at the rows of all slots comes first, and nothing else if none is free.
     *
     * @param slots as many as the lock has permits
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

    /** On the slot that the token has, else on the first that is free. The only one is not looked at before. */
    private Optional<AcquireResult> attempt(List<String> slots, AcquireCommand command) throws SQLException {
        List<LockRow> found = slots.size() == 1 ? List.of() : rows.look(slots);
        List<LockRow> busy = found.stream().filter(row -> !row.isOver()).toList();
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

    /** The result if the row does not change meanwhile. One of several slots that another owner got first is none. */
    private Optional<AcquireResult> answer(String key, AcquireCommand command, LockRow row) throws SQLException {
        if (row.isOver()) {
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

    /** All slots have owners. A waiter has the release of any of them notify. */
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

    /** The token has the row: draws a number, and further ones until the first token is above the floor. */
    private Optional<AcquireResult> numbered(String key, AcquireCommand command, long seen) throws SQLException {
        OptionalLong first = rows.number(key, command.token().value(), seen, command.fencingTokens());
        return first.isPresent() ? granted(key, command, first.getAsLong()) : Optional.empty();
    }

    private Optional<AcquireResult> granted(String key, AcquireCommand command, long first) throws SQLException {
        if (first > command.fencingFloor()) {
            return Optional.of(new AcquireResult.Granted(first, 0));
        }
        // Numbers were lost, as with a restored backup, or the application kept its locks elsewhere before.
        rows.raise(command.fencingFloor());
        return numbered(key, command, first + command.fencingTokens() - 1);
    }

    /** Makes leases longer, in one batch. */
    List<RenewResult> renew(List<Lease> leases) throws SQLException {
        return rows.renew(leases).stream()
                .<RenewResult>map(isHeld -> isHeld ? new RenewResult.Renewed() : new RenewResult.NotHeld())
                .toList();
    }

    /**
     * Releases with one statement if the token has the lock. A wait that ends leaves no queue, since there is none, and
     * passes no signal on, since a release notifies all.
     *
     * @param slots the one that the token has; several are looked through for it
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
                : slotOf(command.token(), rows.look(slots)).orElse(key);
        boolean isKept = !command.atLeast().isZero();
        if (isKept && rows.keep(key, slot, token, command.atLeast())) {
            return rest(slot, command).orElseGet(() -> new ReleaseResult.Released(0));
        }
        if (rows.free(key, slot, token)) {
            return new ReleaseResult.Released(0);
        }
        return isKept ? rest(slot, command).orElseGet(ReleaseResult.NotHeld::new) : new ReleaseResult.NotHeld();
    }

    /** The rest of the minimum time of this very grant. */
    private Optional<ReleaseResult> rest(String slot, ReleaseCommand command) throws SQLException {
        return rows.look(slot)
                .filter(row -> row.isKept() && !row.isOver() && row.fencingToken() == command.fencingToken())
                .map(row -> new ReleaseResult.Kept(row.remaining(), 0));
    }

    /** Looks at one lock, or at one slot. */
    StoredLock inspect(String slot) throws SQLException {
        return stored(rows.look(slot));
    }

    /** As an operator sees it; how many instances wait is not known. */
    private static StoredLock stored(Optional<LockRow> looked) {
        return looked.filter(row -> !row.isOver())
                .<StoredLock>map(row -> row.isKept()
                        ? new StoredLock.Kept(row.remaining(), row.fencingToken(), 0)
                        : new StoredLock.Held(
                                row.holder(), Optional.of(row.remaining()), row.fencingToken(), row.isWanted() ? 1 : 0))
                .orElseGet(() -> new StoredLock.Free(0, 0));
    }

    /**
     * Takes a lock away.
     *
     * @param fencingToken the last of the owner, as the operator saw it
     */
    Revocation revoke(String key, String slot, long fencingToken) throws SQLException {
        Optional<LockRow> seen = rows.look(slot);
        boolean isSame = fencingToken > 0
                && seen.filter(row -> !row.isOver() && row.fencingToken() == fencingToken)
                        .isPresent();
        if (isSame && rows.revoke(key, seen.get())) {
            return new Revocation.Revoked();
        }
        return new Revocation.Stale(stored(isSame ? rows.look(slot) : seen));
    }

    /**
     * Does everything that a lock needs, with a lock that nobody else uses. Also deletes what ended long ago.
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

    /** Deletes what ended long ago; true. */
    boolean sweep() throws SQLException {
        rows.sweep(SWEPT_AFTER);
        return true;
    }

    /** Sends a notification; true. */
    boolean tell(String notice) throws SQLException {
        rows.tell(notice);
        return true;
    }

    /** Asks whether the table can be used, and changes nothing; empty. */
    Optional<String> probe() throws SQLException {
        rows.probe();
        return Optional.empty();
    }
}
