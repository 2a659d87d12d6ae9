package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * A borrowed connection: in auto-commit mode and READ COMMITTED, with a network timeout, whatever the pool's defaults;
 * restored before its return. Belongs to one thread.
 */
final class JdbcSession implements AutoCloseable {

    private final Connection connection;
    private final OptionalInt networkTimeout;
    private boolean autoCommit = true;
    private int isolation = Connection.TRANSACTION_READ_COMMITTED;

    /** Sets the network timeout only. */
    JdbcSession(Connection connection, Duration timeout) {
        this.connection = connection;
        this.networkTimeout = limit(connection, timeout);
    }

    /** Returns the previous timeout; empty, with nothing changed, if the driver has none. */
    private static OptionalInt limit(Connection connection, Duration timeout) {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
            return OptionalInt.of(before);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            return OptionalInt.empty();
        }
    }

    void prepare(int poolIsolation) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
            autoCommit = false;
        }
        if (poolIsolation != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            isolation = poolIsolation;
        }
    }

    Connection connection() {
        return connection;
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
