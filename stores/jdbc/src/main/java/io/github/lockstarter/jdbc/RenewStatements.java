package io.github.lockstarter.jdbc;

import io.github.lockstarter.jdbc.LockRows.Lease;
import io.github.lockstarter.spi.RenewResult;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;

/**
 * Renewals, in one batch.
 *
 * @param leases which tokens keep which keys for how long
 */
record RenewStatements(List<Lease> leases) implements JdbcCommand<List<RenewResult>> {

    @Override
    public List<RenewResult> execute(LockRows rows) throws SQLException {
        return rows.renew(leases).stream()
                .<RenewResult>map(isHeld -> isHeld ? new RenewResult.Renewed() : new RenewResult.NotHeld())
                .toList();
    }

    @Override
    public List<RenewResult> refused(SqlFailure failure, Throwable cause) {
        return unknown(failure.reason(), cause);
    }

    @Override
    public List<RenewResult> unknown(String reason, Throwable cause) {
        return Collections.nCopies(leases.size(), new RenewResult.Unknown(reason, cause));
    }
}
