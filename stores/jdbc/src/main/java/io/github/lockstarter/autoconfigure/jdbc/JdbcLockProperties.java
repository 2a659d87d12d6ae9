package io.github.lockstarter.autoconfigure.jdbc;

import io.github.lockstarter.autoconfigure.LockBackendOption;
import io.github.lockstarter.autoconfigure.LockSettings;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.JdbcSettings;
import io.github.lockstarter.jdbc.LockTable;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;
import org.springframework.boot.sql.init.DatabaseInitializationMode;

/**
 * Configuration of locks in a database.
 *
 * @param commandTimeout Time limit of a lock command, including the wait for a connection: 100ms to 60s.
 * @param requiredAtStart Whether the application fails to start when the database cannot keep locks. If false, locked
 *     methods fail until it can.
 * @param table Name of the lock table, optionally after a schema and a dot. Its fencing tokens come from the sequence,
 *     in MySQL the table, with _fencing appended to this name.
 * @param initializeSchema Whether startup creates a missing table: embedded, only in an in-memory database; always; or
 *     never.
 * @param dialect The database. By default, detected from the driver.
 * @param threads Number of concurrent lock commands, apart from renewals, each on its own connection: 1 to 64.
 * @param pollInterval Time between two polls of a waiting instance: 1ms to 60s.
 */
@ConfigurationProperties(prefix = JdbcLockProperties.PREFIX, ignoreUnknownFields = false)
record JdbcLockProperties(
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("true") boolean requiredAtStart,
        @DefaultValue("distributed_lock") String table,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
        @Nullable JdbcDialect dialect,
        @DefaultValue("4") int threads,
        @DefaultValue("100ms") Duration pollInterval)
        implements LockBackendOption {

    static final String NAME = "jdbc";
    static final String PREFIX = "distributed-lock." + NAME;

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public void checkConfiguration(LockSettings locks) {
        settings(locks);
    }

    /** @throws IllegalArgumentException when a property is invalid; names it */
    JdbcSettings settings(LockSettings locks) {
        return new JdbcSettings(
                locks.keyPrefix(),
                new LockTable(table),
                Optional.ofNullable(dialect),
                commandTimeout,
                threads,
                pollInterval);
    }
}
