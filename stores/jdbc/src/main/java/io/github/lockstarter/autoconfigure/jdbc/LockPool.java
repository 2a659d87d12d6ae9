package io.github.lockstarter.autoconfigure.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/**
 * A pool for locks with the settings and current credentials of the application's HikariCP pool. A holder can renew its
 * lock while its work uses all connections of the application, no connection has a schema set by the application, and
 * after a failover only these few connections can be dead. Opens none before the first command, and keeps one while
 * idle.
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
        setMinimumIdle(1); // also keeps an in-memory H2, which disappears with its last connection
        setIdleTimeout(MOST_IDLE_MILLIS);
        setValidationTimeout(Math.min(getValidationTimeout(), MOST_VALIDATION_MILLIS));
        setLeakDetectionThreshold(0);
        setAutoCommit(true);
        setTransactionIsolation("TRANSACTION_READ_COMMITTED");
    }

    /** Creates a pool; returns the source itself if it is not HikariCP or routes among several. */
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
