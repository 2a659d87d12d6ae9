package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import org.springframework.stereotype.Service;

/**
 * Works for far longer than its lease of one second. The watchdog renews the lease meanwhile; a crash would free the
 * lock after that one second nevertheless.
 */
@Service
class IndexJob {

    private static final long LEASE_MS = 1000;
    private static final Duration STEP = Duration.ofMillis(100);

    private final JobProperties properties;

    IndexJob(JobProperties properties) {
        this.properties = properties;
    }

    /**
     * Rebuilds the index, step by step; stops before the next step when the lock is lost.
     *
     * @return what became of the lease
     */
    @DistributedLock(name = "index", leaseMs = LEASE_MS)
    public Rebuilt rebuild() {
        LockHandle lock = LockHandle.current().orElseThrow();
        long start = System.nanoTime();
        Duration shortest = lock.remainingLease();
        long steps = Math.max(1, properties.indexTime().dividedBy(STEP));
        for (long step = 0; step < steps; step++) {
            lock.ensureHeld();
            SimulatedWork.lasting(STEP);
            Duration remaining = lock.remainingLease();
            shortest = remaining.compareTo(shortest) < 0 ? remaining : shortest;
        }
        return new Rebuilt(
                lock.fencingToken(),
                LEASE_MS,
                Duration.ofNanos(System.nanoTime() - start).toMillis(),
                shortest.toMillis(),
                lock.remainingLease().toMillis(),
                lock.isHeld());
    }

    /**
     * What became of the lease during a rebuild.
     *
     * @param fencingToken of the lock of the run, the same from start to end
     * @param leaseMs lease
     * @param tookMs how long the run took
     * @param shortestRemainingLeaseMs least that was left of the lease at the end of any step
     * @param remainingLeaseMs what was left of the lease at the end
     * @param stillHeld whether the lock was held at the end
     */
    record Rebuilt(
            long fencingToken,
            long leaseMs,
            long tookMs,
            long shortestRemainingLeaseMs,
            long remainingLeaseMs,
            boolean stillHeld) {}
}
