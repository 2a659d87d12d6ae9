package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * A connection that is lent for one command: in auto-commit mode and READ COMMITTED, with a network timeout, whatever
 * the pool hands out; given back as it was. Belongs to one thread.
 */
final class JdbcSession implements AutoCloseable {

    private final Connection connection;
    private final boolean autoCommit;
    private final int isolation;
    private final int networkTimeout;

    private JdbcSession(Connection connection, boolean autoCommit, int isolation, int networkTimeout) {
        this.connection = connection;
        this.autoCommit = autoCommit;
        this.isolation = isolation;
        this.networkTimeout = networkTimeout;
    }

    /**
     * Waits for a connection as long as the pool does.
     *
     * @param database where from
     * @param isolationAsLent what the pool's connections have
     * @param timeout how long an answer may take before the driver closes the connection
     */
    static JdbcSession open(DataSource database, int isolationAsLent, Duration timeout) throws SQLException {
        Connection connection = database.getConnection();
        try {
            int networkTimeout = limit(connection, timeout); // first: what follows asks the server
            boolean autoCommit = connection.getAutoCommit();
            if (!autoCommit) {
                connection.setAutoCommit(true);
            }
            if (isolationAsLent != Connection.TRANSACTION_READ_COMMITTED) {
                connection.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            }
            return new JdbcSession(connection, autoCommit, isolationAsLent, networkTimeout);
        } catch (SQLException | RuntimeException e) {
            closeAfter(e, connection);
            throw e;
        }
    }

    private static void closeAfter(Exception failure, Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            failure.addSuppressed(e);
        }
    }

    Connection connection() {
        return connection;
    }

    /** The timeout that it had; where the driver has none, nothing is changed. */
    private static int limit(Connection connection, Duration timeout) {
        try {
            int before = connection.getNetworkTimeout();
            connection.setNetworkTimeout(Runnable::run, (int) timeout.toMillis());
            return before;
        } catch (SQLException | AbstractMethodError e) {
            return -1;
        }
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
        if (networkTimeout >= 0) {
            connection.setNetworkTimeout(Runnable::run, networkTimeout); // last: what comes before asks the server
        }
    }
}
