package io.github.lockstarter.jdbc;

import java.sql.SQLException;

/**
 * A notification; the answer is whether it was sent.
 *
 * @param notice what it says
 */
record NotifyStatements(String notice) implements JdbcCommand<Boolean> {

    @Override
    public Boolean execute(LockRows rows) throws SQLException {
        rows.tell(notice);
        return true;
    }

    @Override
    public Boolean refused(SqlFailure failure, Throwable cause) {
        return false;
    }

    @Override
    public Boolean unknown(String reason, Throwable cause) {
        return false;
    }
}
