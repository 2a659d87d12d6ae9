package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.OptionalInt;

/**
 * A connection that is lent for one command: in auto-commit mode and READ COMMITTED, with a network timeout, whatever
 * the pool hands out; given back as it was. Belongs to one thread.
 */
final class JdbcSession implements AutoCloseable {

    private final Connection connection;
    private final OptionalInt networkTimeout;
    private boolean autoCommit = true;
    private int isolation = Connection.TRANSACTION_READ_COMMITTED;

    /**
     * As it was lent, but for the network timeout.
     *
     * @param timeout how long an answer may take before the driver closes the connection
     */
    JdbcSession(Connection connection, Duration timeout) {
        this.connection = connection;
        this.networkTimeout = limit(connection, timeout);
    }

    /** The timeout that it had; where the driver has none, nothing is changed. */
    private static OptionalInt limit(Connection connection, Duration timeout) {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
            return OptionalInt.of(before);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            return OptionalInt.empty();
        }
    }

    /**
     * Has each statement committed by itself.
     *
     * @param isolationAsLent what the pool's connections have
     */
    void prepare(int isolationAsLent) throws SQLException {
        if (!connection.getAutoCommit()) {
            connection.setAutoCommit(true);
            autoCommit = false;
        }
        if (isolationAsLent != Connection.TRANSACTION_READ_COMMITTED) {
            connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            isolation = isolationAsLent;
        }
    }

    Connection connection() {
        return connection;
    }

    /** Gives the connection back; a broken one is the pool's to discard. */
    @Override
    public void close() {
        try (connection) {
            if (!connection.isClosed()) {
                restore();
            }
        } catch (SQLException e) {
            // Nothing is left to undo: each statement was committed by itself, and the pool checks what it gets back.
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
            // Last: what comes before asks the server.
            connection.setNetworkTimeout(Runnable::run, networkTimeout.getAsInt());
        }
    }
}
