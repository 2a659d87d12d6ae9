package io.github.lockstarter.jdbc;

import io.github.lockstarter.jdbc.SqlFailure.Kind;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import io.github.lockstarter.spi.AcquireResult;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Supplier;

/**
 * An attempt. A free lock takes two statements, in MySQL and MariaDB three: insert the row, draw a number, write it. A
 * busy one takes two: an insertion that fails, and a look at the row.
 *
 * @param key the key as it is stored
 * @param command what to acquire
 * @param lookAgain when a waiter is to look again; empty while notifications wake it
 */
record AcquireStatements(String key, AcquireCommand command, Supplier<Optional<Duration>> lookAgain)
        implements JdbcCommand<AcquireResult> {

    /** How often the row may change under the attempt before it counts as busy. */
    private static final int MOST_ROUNDS = 20;

    private static final Duration SOON = Duration.ofMillis(1);

    @Override
    public AcquireResult execute(LockRows rows) throws SQLException {
        String token = command.token().value();
        for (int round = 0; round < MOST_ROUNDS; round++) {
            Optional<AcquireResult> result = rows.insert(key, token, command.lease()) ? numbered(rows, 0) : look(rows);
            if (result.isPresent()) {
                return result.get();
            }
        }
        return new AcquireResult.Contended(Optional.of(SOON), Waiting.NEW, Optional.empty(), false, lookAgain.get());
    }

    /** The result if the row does not change meanwhile. */
    private Optional<AcquireResult> look(LockRows rows) throws SQLException {
        Optional<LockRow> found = rows.look(key);
        if (found.isEmpty()) {
            return Optional.empty();
        }
        LockRow row = found.get();
        if (row.isOver()) {
            return rows.takeOver(key, command.token().value(), command.lease()) ? numbered(rows, 0) : Optional.empty();
        }
        if (row.isOf(command.token())) {
            return again(rows, row.fencingToken());
        }
        boolean isNoted = command.waiting().isEmpty() || row.isWanted() || rows.markWanted(key, row);
        return isNoted ? Optional.of(contended(row)) : Optional.empty();
    }

    private AcquireResult contended(LockRow row) {
        return new AcquireResult.Contended(
                Optional.of(row.remaining()),
                Waiting.NEW,
                row.holder().filter(holder -> holder.since().isPresent()),
                row.isKept(),
                command.waiting().flatMap(waiting -> lookAgain.get()));
    }

    /** The token has the row: draws numbers until the first one is above the floor. */
    private Optional<AcquireResult> numbered(LockRows rows, long seen) throws SQLException {
        OptionalLong first = rows.number(key, command.token().value(), seen, command.fencingTokens());
        if (first.isEmpty()) {
            return Optional.empty();
        }
        if (first.getAsLong() > command.fencingFloor()) {
            return Optional.of(new AcquireResult.Granted(first.getAsLong(), 0));
        }
        // Numbers were lost, as with a restored backup, or the application kept its locks elsewhere before.
        rows.raise(command.fencingFloor());
        return numbered(rows, lastOf(first.getAsLong()));
    }

    /** The attempt is repeated: the same answer, or tokens that begin right above the floor. */
    private Optional<AcquireResult> again(LockRows rows, long last) throws SQLException {
        if (last == 0) {
            return numbered(rows, 0);
        }
        long first = last - command.fencingTokens() + 1;
        long raised = command.fencingFloor() + 1;
        if (first >= raised) {
            return Optional.of(new AcquireResult.Granted(first, 0));
        }
        rows.raise(lastOf(raised));
        return rows.renumber(key, command.token().value(), last, lastOf(raised))
                ? Optional.of(new AcquireResult.Granted(raised, 0))
                : Optional.empty();
    }

    private long lastOf(long first) {
        return first + command.fencingTokens() - 1;
    }

    @Override
    public AcquireResult refused(SqlFailure failure, Throwable cause) {
        return failure.kind() == Kind.REFUSED
                ? new AcquireResult.Rejected(failure.reason(), cause)
                : new AcquireResult.Unavailable(failure.reason(), cause);
    }

    @Override
    public AcquireResult unknown(String reason, Throwable cause) {
        return new AcquireResult.Unknown(reason, cause);
    }

    /** The caller knows nothing of the grant, and its release may have come before it. */
    @Override
    public void late(AcquireResult result, LockRows rows) throws SQLException {
        if (result instanceof AcquireResult.Granted) {
            rows.free(key, command.token().value());
        }
    }
}
