package io.github.lockstarter.faults;

import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.redis.testing.RedisServer;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * What the workers have left on the servers after their end (I8): keys and connections. Killed workers leave locks for
 * a lease and queues for as long as they were patient, so a key that ends by itself within that time is none; the
 * fencing counters and the history stay.
 */
final class Leftovers {

    /** For what is on its way out. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    /** How long a queue lasts that nobody leaves: the patience that is told to the server. */
    private static final Duration LONGEST_QUEUE = Duration.ofSeconds(15);

    private final Topology topology;
    private final Duration longestLease;

    private Leftovers(Topology topology, Duration longestLease) {
        this.topology = topology;
        this.longestLease = longestLease;
    }

    static List<String> of(Topology topology, Duration longestLease) {
        return new Leftovers(topology, longestLease).find();
    }

    private List<String> find() {
        long start = System.nanoTime();
        List<String> left = look();
        while (!left.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            left = look();
        }
        return left;
    }

    private List<String> look() {
        List<String> left = new ArrayList<>();
        for (RedisServer server : topology.masters()) {
            server.commands().keys("lock:*").stream()
                    .filter(key -> !key.contains("fence") && !key.contains("history"))
                    .filter(key -> stays(server.commands(), key))
                    .forEach(key -> left.add("key " + key));
        }
        for (RedisServer server : topology.servers()) {
            server.commands()
                    .clientList()
                    .lines()
                    .filter(line -> line.contains("user=default"))
                    .forEach(line -> left.add("connection " + line));
        }
        return left;
    }

    /** -1 is for ever, -2 that it has just gone. */
    private boolean stays(RedisCommands<String, String> commands, String key) {
        Duration longest = key.endsWith(":waiters") ? LONGEST_QUEUE : longestLease;
        long millis = commands.pttl(key);
        return millis == -1 || millis > longest.toMillis();
    }
}
