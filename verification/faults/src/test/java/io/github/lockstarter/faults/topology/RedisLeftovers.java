package io.github.lockstarter.faults.topology;

import io.github.lockstarter.kit.redis.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;

/**
 * Keys of workers that remain on a Redis server. Killed workers leave locks for a lease and queues for their patience,
 * so a key that expires within that time does not count; fencing counters and the history stay.
 */
final class RedisLeftovers {

    /** How long an abandoned queue lasts: the patience in the workers' requests. */
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(16);

    /** How long the mark of an instance lasts: 20 takeover times of a second. Its trace, and so the key of all, lasts a
     * grace longer. */
    private static final Duration LONGEST_MARK = Duration.ofSeconds(20);

    private static final String TAKEOVERS = ":takeovers";

    private RedisLeftovers() {}

    static List<String> keys(RedisServer server, Duration longestLease) {
        return server.commands().keys("lock:*").stream()
                .filter(key -> !key.contains("fence") && (!key.contains("history") || key.endsWith(TAKEOVERS)))
                .filter(key -> stays(server.commands(), key, longestLease))
                .map(key -> "key " + key)
                .toList();
    }

    /** The fixture's own connections are of another user. */
    static List<String> connections(RedisServer server) {
        return server.commands()
                .clientList()
                .lines()
                .filter(line -> line.contains("user=default"))
                .map(line -> "connection " + line)
                .toList();
    }

    /** -1 means no expiry, -2 that the key has just expired. */
    private static boolean stays(RedisCommands<String, String> commands, String key, Duration longestLease) {
        Duration longest = longest(key, longestLease);
        long millis = commands.pttl(key);
        return millis == -1 || millis > longest.toMillis();
    }

    private static Duration longest(String key, Duration longestLease) {
        if (key.endsWith(":waiters")) {
            return LONGEST_QUEUE;
        }
        return key.endsWith(TAKEOVERS) ? LONGEST_MARK.plus(longestLease.multipliedBy(2)) : longestLease;
    }
}
