package io.github.lockstarter.jdbc;

import java.sql.SQLException;

/**
 * Statements whose failure harms no lock, such as a sweep, which is repeated later. The answer is whether they were
 * executed.
 *
 * @param statements what to execute
 */
record BestEffortStatements(Statements statements) implements JdbcCommand<Boolean> {

    /** What to execute. */
    interface Statements {

        /** Executes them. */
        void execute(LockRows rows) throws SQLException;
    }

    @Override
    public Boolean execute(LockRows rows) throws SQLException {
        statements.execute(rows);
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
