package io.github.lockstarter.jdbc;

import io.github.lockstarter.DurationText;
import java.time.Duration;
import java.util.Optional;

/**
 * Settings of the JDBC backend.
 *
 * @param keyPrefix prefix of the stored keys
 * @param table lock table
 * @param dialect database; empty to detect it
 * @param commandTimeout timeout of a command, including the wait for a connection: 100 ms to 60 s
 * @param threads concurrent commands, apart from renewals: 1 to 64
 * @param pollInterval time between two polls of a waiting instance: 1 ms to 60 s
 */
public record JdbcSettings(
        String keyPrefix,
        LockTable table,
        Optional<JdbcDialect> dialect,
        Duration commandTimeout,
        int threads,
        Duration pollInterval) {

    private static final Duration LONGEST = Duration.ofSeconds(60);
    private static final int MOST_THREADS = 64;

    /**
     * Validates the settings.
     *
     * @param keyPrefix prefix
     * @param table table
     * @param dialect database
     * @param commandTimeout timeout
     * @param threads concurrent commands
     * @param pollInterval interval
     * @throws IllegalArgumentException when a value is out of range; names the property
     */
    public JdbcSettings {
        DurationText.check("distributed-lock.jdbc.command-timeout", commandTimeout, Duration.ofMillis(100), LONGEST);
        DurationText.check("distributed-lock.jdbc.poll-interval", pollInterval, Duration.ofMillis(1), LONGEST);
        if (threads < 1 || threads > MOST_THREADS) {
            throw new IllegalArgumentException(
                    "distributed-lock.jdbc.threads is " + threads + "; it must be between 1 and " + MOST_THREADS);
        }
    }

    /**
     * {@return the defaults of the properties: a command timeout of 2 s, four threads and a poll interval of 100 ms}
     *
     * @param keyPrefix prefix of the stored keys
     */
    public static JdbcSettings of(String keyPrefix) {
        return new JdbcSettings(
                keyPrefix, LockTable.DEFAULT, Optional.empty(), Duration.ofSeconds(2), 4, Duration.ofMillis(100));
    }
}
