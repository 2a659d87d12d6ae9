package io.github.lockstarter.faults;

import io.github.lockstarter.faults.topology.Topology;
import io.github.lockstarter.testing.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/**
 * I8: what is left on the servers when all workers have ended. Killed workers leave locks for their lease, and entries in
 * queues for as long as they were patient; after that only the fencing counters stay.
 */
final class Leftovers {

    /** The longest lease or patience of a worker, and a little. */
    private static final Duration LONGEST = Duration.ofSeconds(20);

    private Leftovers() {}

    static List<String> of(Topology topology) {
        long start = System.nanoTime();
        List<String> left = look(topology);
        while (!left.isEmpty() && System.nanoTime() - start < LONGEST.toNanos()) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos()); // they go by themselves
            left = look(topology);
        }
        return left;
    }

    private static List<String> look(Topology topology) {
        List<String> left = new ArrayList<>();
        for (RedisServer server : topology.servers()) {
            server.commands().keys("lock:*").stream()
                    .filter(key -> !key.endsWith(":fence") && !key.endsWith(":history"))
                    .forEach(key -> left.add("key " + key));
            server.commands()
                    .clientList()
                    .lines()
                    .filter(line -> line.contains("user=default"))
                    .forEach(line -> left.add("connection " + line));
        }
        return left;
    }
}
