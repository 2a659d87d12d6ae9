package io.github.lockstarter.autoconfigure.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.util.Credentials;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
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
    private final int timeoutSeconds;

    private LockPool(HikariDataSource application, int connections, Duration commandTimeout) {
        this.application = application;
        this.timeoutSeconds = (int) Math.max(1, commandTimeout.plusMillis(999).toSeconds());
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
    static DataSource besides(DataSource application, int connections, Duration commandTimeout) {
        try {
            return !(application instanceof AbstractRoutingDataSource)
                            && application.isWrapperFor(HikariDataSource.class)
                    ? new LockPool(application.unwrap(HikariDataSource.class), connections, commandTimeout)
                    : application;
        } catch (SQLException e) {
            return application;
        }
    }

    /**
     * With timeouts instead of the application's: HikariCP opens one connection at a time, so a login that gets no
     * answer would stop the pool forever.
     */
    @Override
    public @Nullable String getJdbcUrl() {
        String url = application.getJdbcUrl();
        if (url == null) {
            return null;
        }
        int unit = url.contains(":postgresql:") ? 1 : url.contains(":mysql:") || url.contains(":mariadb:") ? 1_000 : 0;
        // Drivers use the last value of a parameter.
        return unit == 0
                ? url
                : url + (url.indexOf('?') < 0 ? '?' : '&') + "connectTimeout=" + timeoutSeconds * unit
                        + "&socketTimeout=" + timeoutSeconds * unit;
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
