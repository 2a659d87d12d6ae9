package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.WithdrawCommand;
import io.github.lockstarter.spi.WithdrawResult;
import java.sql.SQLException;

/**
 * The end of a wait: there is no queue to leave, and a release that was announced was announced to all.
 *
 * @param key the key as it is stored
 * @param command which wait to end
 */
record WithdrawStatements(String key, WithdrawCommand command) implements JdbcCommand<WithdrawResult> {

    @Override
    public WithdrawResult execute(LockRows rows) throws SQLException {
        if (command.token().sequence() != LockToken.NO_ATTEMPT) {
            rows.free(key, command.token().value());
        }
        return new WithdrawResult.Withdrawn();
    }

    @Override
    public WithdrawResult refused(SqlFailure failure, Throwable cause) {
        return new WithdrawResult.Unknown(failure.reason(), cause);
    }

    @Override
    public WithdrawResult unknown(String reason, Throwable cause) {
        return new WithdrawResult.Unknown(reason, cause);
    }
}
