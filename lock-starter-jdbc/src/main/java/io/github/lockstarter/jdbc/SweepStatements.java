package io.github.lockstarter.jdbc;

import java.sql.SQLException;
import java.time.Duration;

/**
 * Deletes the rows of locks that ended by themselves. What fails is left to the next time.
 *
 * @param age how long ago they ended at least
 */
record SweepStatements(Duration age) implements JdbcCommand<Boolean> {

    @Override
    public Boolean execute(LockRows rows) throws SQLException {
        rows.sweep(age);
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
