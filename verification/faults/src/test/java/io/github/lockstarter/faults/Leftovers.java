package io.github.lockstarter.faults;

import io.github.lockstarter.faults.topology.Topology;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.LockSupport;

/** Keys and connections of workers that remain on the servers (I8), after a grace time. */
final class Leftovers {

    /** Grace time for connections and keys that are about to end. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

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
