package io.github.lockstarter.jdbc;

import io.github.lockstarter.DurationText;
import java.time.Duration;
import java.util.Optional;

/**
 * How locks are kept in a database.
 *
 * @param keyPrefix what the stored keys begin with
 * @param table the table with the locks
 * @param dialect which database it is; empty to ask the driver
 * @param commandTimeout how long a command may take, from the call of the backend on: 100 ms to 60 s
 * @param threads how many commands are carried out at once, renewals apart; 1 to 64
 * @param pollInterval how often an instance looks again at a lock for which it waits, where nothing wakes it: 1 ms to
 *     60 s
 * @param listen whether PostgreSQL wakes waiters, for which a connection is kept; without effect on other databases
 */
public record JdbcSettings(
        String keyPrefix,
        LockTable table,
        Optional<JdbcDialect> dialect,
        Duration commandTimeout,
        int threads,
        Duration pollInterval,
        boolean listen) {

    private static final int MOST_THREADS = 64;

    /**
     * Checks the settings.
     *
     * @param keyPrefix what the stored keys begin with
     * @param table the table with the locks
     * @param dialect which database it is
     * @param commandTimeout how long a command may take
     * @param threads how many commands are carried out at once
     * @param pollInterval how often an instance looks again
     * @param listen whether PostgreSQL wakes waiters
     * @throws IllegalArgumentException when one is out of range; names the property
     */
    public JdbcSettings {
        check("command-timeout", commandTimeout, Duration.ofMillis(100));
        check("poll-interval", pollInterval, Duration.ofMillis(1));
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException(
                    "distributed-lock.jdbc.threads must be 1 to " + MOST_THREADS + ", not " + threads);
        }
    }

    /**
     * The defaults of the properties.
     *
     * @param keyPrefix what the stored keys begin with
     * @return settings with a command timeout of 2 s, four threads, and a look every 100 ms
     */
    public static JdbcSettings of(String keyPrefix) {
        return new JdbcSettings(
                keyPrefix, LockTable.DEFAULT, Optional.empty(), Duration.ofSeconds(2), 4, Duration.ofMillis(100), true);
    }

    private static void check(String property, Duration value, Duration least) {
        Duration most = Duration.ofSeconds(60);
        if (value.compareTo(least) < 0 || value.compareTo(most) > 0) {
            throw new IllegalArgumentException(
                    "distributed-lock.jdbc." + property + " must be " + DurationText.exactly(least) + " to "
                            + most.toSeconds() + "s, not " + DurationText.exactly(value));
        }
    }
}
