package io.github.lockstarter.faults;

import io.github.lockstarter.faults.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** What the workers have left on the servers after their end (I8): keys and connections, after some patience. */
final class Leftovers {

    /** For what is on its way out. */
    private static final Duration PATIENCE = Duration.ofSeconds(3);

    private Leftovers() {}

    static List<String> of(Topology topology, Duration longestLease) {
        long start = System.nanoTime();
        List<String> left = topology.leftovers(longestLease);
        while (!left.isEmpty() && System.nanoTime() - start < PATIENCE.toNanos()) {
            LockSupport.parkNanos(Duration.ofMillis(100).toNanos());
            left = topology.leftovers(longestLease);
        }
        return left;
    }
}
