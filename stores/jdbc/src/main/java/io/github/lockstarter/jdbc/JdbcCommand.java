package io.github.lockstarter.jdbc;

import java.sql.SQLException;

/**
 * One command: its statements, and its result where they fail. Idempotent for its lock token, so that it may be
 * repeated after a deadlock.
 *
 * @param <R> kind of result
 */
interface JdbcCommand<R> {

    /** Carries the command out. */
    R execute(LockRows rows) throws SQLException;

    /** Certainly nothing was changed. */
    R refused(SqlFailure failure, Throwable cause);

    /** Perhaps something was changed. */
    R unknown(String reason, Throwable cause);

    /** Called with a result that came when the caller had been told that it is unknown. */
    default void late(R result, LockRows rows) throws SQLException {}
}
