package io.github.lockstarter.autoconfigure.jdbc;

import java.time.Duration;
import javax.sql.DataSource;

/** Access to the pool that the auto-configuration opens for locks. */
public final class LockPools {

    private LockPools() {}

    /** Opens a pool with the settings of the application's. */
    public static DataSource besides(DataSource application, int connections, Duration commandTimeout) {
        return LockDataSource.besides(application, connections, commandTimeout).source();
    }
}
