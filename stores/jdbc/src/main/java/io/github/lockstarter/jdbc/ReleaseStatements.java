package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import java.sql.SQLException;
import java.util.Optional;

/**
 * A release: one statement if the token has the lock. A wait that ends leaves no queue, since there is none, and passes
 * no signal on, since a release notifies all.
 *
 * @param key the key as it is stored
 * @param command what to release
 */
record ReleaseStatements(String key, ReleaseCommand command) implements JdbcCommand<ReleaseResult> {

    @Override
    public ReleaseResult execute(LockRows rows) throws SQLException {
        String token = command.token().value();
        if (command.endsWait()) {
            if (command.token().sequence() != LockToken.NO_ATTEMPT) {
                rows.free(key, token);
            }
            return new ReleaseResult.Released(0);
        }
        boolean isKept = !command.atLeast().isZero();
        if (isKept && rows.keep(key, token, command.atLeast())) {
            return rest(rows).orElseGet(() -> new ReleaseResult.Released(0));
        }
        if (rows.free(key, token)) {
            return new ReleaseResult.Released(0);
        }
        return isKept ? rest(rows).orElseGet(ReleaseResult.NotHeld::new) : new ReleaseResult.NotHeld();
    }

    /** What is left of the minimum time that this very grant has. */
    private Optional<ReleaseResult> rest(LockRows rows) throws SQLException {
        return rows.look(key)
                .filter(row -> row.isKept() && !row.isOver() && row.fencingToken() == command.fencingToken())
                .map(row -> new ReleaseResult.Kept(row.remaining(), 0));
    }

    @Override
    public ReleaseResult refused(SqlFailure failure, Throwable cause) {
        return new ReleaseResult.Unknown(failure.reason(), cause);
    }

    @Override
    public ReleaseResult unknown(String reason, Throwable cause) {
        return new ReleaseResult.Unknown(reason, cause);
    }
}
