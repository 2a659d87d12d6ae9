package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockAdmin.StoredLock;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A look at one lock.
 *
 * @param key the key as it is stored
 */
record InspectStatements(String key) implements JdbcCommand<StoredLock> {

    @Override
    public StoredLock execute(LockRows rows) throws SQLException {
        return found(rows.look(key));
    }

    /** As an operator sees it; how many instances wait is not known. */
    static StoredLock found(Optional<LockRow> looked) {
        return looked.filter(row -> !row.isOver())
                .<StoredLock>map(row -> row.isKept()
                        ? new StoredLock.Kept(row.remaining(), row.fencingToken(), 0)
                        : new StoredLock.Held(
                                row.holder(), Optional.of(row.remaining()), row.fencingToken(), row.isWanted() ? 1 : 0))
                .orElseGet(() -> new StoredLock.Free(0, 0));
    }

    @Override
    public StoredLock refused(SqlFailure failure, Throwable cause) {
        return new StoredLock.Unknown(failure.reason());
    }

    @Override
    public StoredLock unknown(String reason, Throwable cause) {
        return new StoredLock.Unknown(reason);
    }
}
