package io.github.lockstarter.jdbc;

import io.github.lockstarter.LockAdmin.Revocation;
import java.sql.SQLException;
import java.util.Optional;

/**
 * Takes a lock away.
 *
 * @param key the key as it is stored
 * @param fencingToken the last of the owner, as the operator saw it
 */
record RevokeStatements(String key, long fencingToken) implements JdbcCommand<Revocation> {

    @Override
    public Revocation execute(LockRows rows) throws SQLException {
        Optional<LockRow> seen = rows.look(key);
        boolean isSame = fencingToken > 0
                && seen.filter(row -> !row.isOver() && row.fencingToken() == fencingToken)
                        .isPresent();
        if (isSame && rows.revoke(key, seen.get(), notice(seen.get()))) {
            return new Revocation.Revoked();
        }
        return new Revocation.Stale(InspectStatements.found(isSame ? rows.look(key) : seen));
    }

    private String notice(LockRow row) {
        return row.owner().map(owner -> PostgresNotice.revoked(key, owner)).orElseGet(() -> PostgresNotice.free(key));
    }

    @Override
    public Revocation refused(SqlFailure failure, Throwable cause) {
        return new Revocation.Unknown(failure.reason());
    }

    @Override
    public Revocation unknown(String reason, Throwable cause) {
        return new Revocation.Unknown(reason);
    }
}
