package io.github.lockstarter.autoconfigure.jdbc;

import javax.sql.DataSource;
import org.springframework.util.ClassUtils;

/**
 * Where the locks get their connections; no bean of type {@code DataSource}, which would change what Boot configures.
 * Closes the pool that it has made.
 *
 * @param source the source
 */
record LockDataSource(DataSource source) implements AutoCloseable {

    /** From version 6 on. */
    private static final boolean HAS_HIKARI =
            ClassUtils.isPresent("com.zaxxer.hikari.util.Credentials", LockDataSource.class.getClassLoader());

    /**
     * Beside the connections with which the application works, where these come from HikariCP; else the same ones.
     *
     * @param connections the most that locks need
     */
    static LockDataSource besides(DataSource application, int connections) {
        return new LockDataSource(HAS_HIKARI ? LockPool.besides(application, connections) : application);
    }

    @Override
    public void close() {
        if (HAS_HIKARI && source instanceof LockPool pool) {
            pool.close();
        }
    }
}
