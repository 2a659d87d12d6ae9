package io.github.lockstarter.autoconfigure.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * The connections of the locks where the application has a HikariCP pool: with its settings and its present
 * credentials, but none of its connections. So a holder renews its lock although the work that it guards has every
 * connection of the application, no connection has a schema that the application has set, and only the few connections
 * in here can be dead after a failover. Opens none before the first command, and keeps one while it is idle.
 */
final class LockPool extends HikariDataSource {

    private static final int MOST_IDLE_MILLIS = 30_000;
    private static final int MOST_VALIDATION_MILLIS = 1_000;

    private final HikariDataSource application;

    private LockPool(HikariDataSource application, int connections) {
        this.application = application;
        application.copyStateTo(this);
        setPoolName("distributed-lock");
        setRegisterMbeans(false);
        setMaximumPoolSize(connections);
        setMinimumIdle(1); // also keeps an H2 in memory, which would be gone with its last connection
        setIdleTimeout(MOST_IDLE_MILLIS);
        setValidationTimeout(Math.min(getValidationTimeout(), MOST_VALIDATION_MILLIS));
        setLeakDetectionThreshold(0);
        setAutoCommit(true);
        setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }

    /**
     * A pool of its own, or the given source if that is no HikariCP pool, or chooses among several.
     *
     * @param application where the application gets its connections
     * @param connections the most that locks need
     */
    static DataSource besides(DataSource application, int connections) {
        try {
            return !(application instanceof AbstractRoutingDataSource)
                            && application.isWrapperFor(HikariDataSource.class)
                    ? new LockPool(application.unwrap(HikariDataSource.class), connections)
                    : application;
        } catch (SQLException e) {
            return application;
        }
    }

    @Override
    public Credentials getCredentials() {
        return application.getCredentials();
    }

    @Override
    public String getUsername() {
        return application.getUsername();
    }

    @Override
    public String getPassword() {
        return application.getPassword();
    }
}
