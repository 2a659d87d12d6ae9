package io.github.lockstarter.jdbc;

import java.sql.BatchUpdateException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * A borrowed connection and the execution of statements on it: in auto-commit mode and READ COMMITTED, with a network
 * timeout, whatever the pool's defaults; restored before its return. Belongs to one thread.
 */
final class JdbcSession implements AutoCloseable {

    private final Connection connection;

    /** Rounded up: drivers count query timeouts in seconds. */
    private final int timeoutSeconds;

    private final OptionalInt networkTimeout;
    private boolean hasQueryTimeout;
    private boolean autoCommit = true;
    private int isolation = Connection.TRANSACTION_READ_COMMITTED;
    private boolean changed;

    /** Sets the network timeout only. */
    JdbcSession(Connection connection, Duration commandTimeout) {
        this.connection = connection;
        this.timeoutSeconds = (int) Math.max(1, commandTimeout.plusMillis(999).toSeconds());
        // Exceeds the query timeout: for a server that does not respond to a cancel either.
        this.networkTimeout = limit(connection, timeoutSeconds * 1_000 + 500);
    }

    /** Returns the previous timeout; empty, with nothing changed, if the driver has none. */
    private static OptionalInt limit(Connection connection, int millis) {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, millis);
            return OptionalInt.of(before);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            return OptionalInt.empty();
        }
    }

    void setUp(int poolIsolation) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
            autoCommit = false;
        }
        if (poolIsolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            isolation = poolIsolation;
        }
    }

    /** Whether the pool's connections wait without limit for an answer, as for that to a login. */
    boolean hasNoNetworkTimeout() {
        return networkTimeout.equals(OptionalInt.of(0));
    }

    /** Cancels each statement at the command timeout. */
    void limitQueries() {
        hasQueryTimeout = true;
    }

    Connection connection() {
        return connection;
    }

    boolean isChanged() {
        return changed;
    }

    boolean note(boolean change) {
        changed |= change;
        return change;
    }

    boolean change(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters)) {
            return note(statement.executeUpdate() > 0);
        }
    }

    OptionalLong changeReturning(String sql, @Nullable Object... parameters) throws SQLException {
        OptionalLong number = ask(sql, parameters);
        note(number.isPresent());
        return number;
    }

    /** Executes a change of one row that generates a number; empty without such a row. */
    OptionalLong changeGenerating(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement =
                prepared(connection.prepareStatement(sql, Statement.RETURN_GENERATED_KEYS), parameters)) {
            if (!note(statement.executeUpdate() > 0)) {
                return OptionalLong.empty();
            }
            try (ResultSet keys = statement.getGeneratedKeys()) {
                return keys.next() ? OptionalLong.of(keys.getLong(1)) : OptionalLong.empty();
            }
        }
    }

    /** The first column of the only row, if any. */
    OptionalLong ask(String sql, @Nullable Object... parameters) throws SQLException {
        try (PreparedStatement statement = prepare(sql, parameters);
                ResultSet rows = statement.executeQuery()) {
            return rows.next() ? OptionalLong.of(rows.getLong(1)) : OptionalLong.empty();
        }
    }

    /** Omits the message of a failed batch, which may contain the values of parameters and so lock tokens. */
    int[] executeBatch(String sql, List<Object[]> each) throws SQLException {
        try (PreparedStatement batch = prepare(sql)) {
            for (Object[] parameters : each) {
                bind(batch, parameters);
                batch.addBatch();
            }
            return batch.executeBatch();
        } catch (BatchUpdateException e) {
            SQLException reason = e.getNextException();
            if (reason != null && !(reason instanceof BatchUpdateException)) {
                throw reason;
            }
            throw new SQLException("a batch of renewals failed", e.getSQLState(), e.getErrorCode());
        }
    }

    PreparedStatement prepare(String sql, @Nullable Object... parameters) throws SQLException {
        return prepared(connection.prepareStatement(sql), parameters);
    }

    private PreparedStatement prepared(PreparedStatement statement, @Nullable Object... parameters)
            throws SQLException {
        try {
            if (hasQueryTimeout) {
                statement.setQueryTimeout(timeoutSeconds);
            }
            bind(statement, parameters);
            return statement;
        } catch (SQLException e) {
            statement.close();
            throw e;
        }
    }

    private static void bind(PreparedStatement statement, @Nullable Object... parameters) throws SQLException {
        for (int i = 0; i < parameters.length; i++) {
            if (parameters[i] instanceof Long number) {
                statement.setLong(i + 1, number);
            } else {
                statement.setString(i + 1, (String) parameters[i]);
            }
        }
    }

    /** Breaks a connection to a server that refuses writes, so that the pool opens one to its successor. */
    void discard() {
        try {
            connection.abort(Runnable::run);
        } catch (SQLException | RuntimeException e) {
            // The pool keeps the connection for its usual lifetime.
        }
    }

    /** Returns the connection; the pool discards a broken one. */
    @Override
    public void close() {
        try (connection) {
            if (!connection.isClosed()) {
                restore();
            }
        } catch (SQLException e) {
            // Nothing to undo: every statement is committed, and the pool validates returned connections.
        }
    }

    private void restore() throws SQLException {
        if (isolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(isolation);
        }
        if (!autoCommit) {
            connection.setAutoCommit(false);
        }
        if (networkTimeout.isPresent()) {
            // Last: the calls above may access the server.
            connection.setNetworkTimeout(Runnable::run, networkTimeout.getAsInt());
        }
    }
}
