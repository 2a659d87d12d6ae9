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
 * The configuration of locks in a database, in addition to that of all locks.
 *
 * @param commandTimeout How long a lock command may take, with the wait for a connection: 100ms to 60s.
 * @param requiredAtStart Whether the application fails to start when the database cannot keep locks. If false, locked
 *     methods fail until it can.
 * @param table Name of the table with the locks, perhaps after the name of its schema and a dot. Its fencing tokens
 *     come from the sequence, in MySQL the table, of the same name with _fencing behind it.
 * @param initializeSchema Whether the application creates the table at its start, unless it is there: embedded, in a
 *     database in memory only; always; or never.
 * @param dialect Which database it is. By default, the driver says so.
 * @param threads How many lock commands the instance sends at once, renewals apart, each on a
 *     connection of its own: 1 to 64.
 * @param pollInterval How often an instance looks again at a lock for which it waits, where no notification wakes
 *     it: 1ms to 60s.
 * @param listen Whether releases notify waiters, where the database is PostgreSQL. One connection is kept for
 *     that. Turn it off behind a pooler in transaction mode.
 */
@ConfigurationProperties(prefix = JdbcLockProperties.PREFIX, ignoreUnknownFields = false)
record JdbcLockProperties(
        @DefaultValue("2s") Duration commandTimeout,
        @DefaultValue("true") boolean requiredAtStart,
        @DefaultValue("distributed_lock") String table,
        @DefaultValue("embedded") DatabaseInitializationMode initializeSchema,
        @Nullable JdbcDialect dialect,
        @DefaultValue("4") int threads,
        @DefaultValue("100ms") Duration pollInterval,
        @DefaultValue("true") boolean listen)
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
                pollInterval,
                listen);
    }
}
