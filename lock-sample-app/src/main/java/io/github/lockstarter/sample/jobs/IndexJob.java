package io.github.lockstarter.sample.jobs;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.sample.SimulatedWork;
import java.time.Duration;
import org.springframework.stereotype.Service;

/**
 * Runs much longer than its lease of one second: the watchdog renews the lease while the job runs. After a crash, the
 * lock becomes free within that second.
 */
@Service
class IndexJob {

    private static final long LEASE_MS = 1000;
    private static final Duration STEP = Duration.ofMillis(100);

    private final JobProperties properties;

    IndexJob(JobProperties properties) {
        this.properties = properties;
    }

    /** Rebuilds the index in steps, and stops before the next step if the lock is lost. */
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
     * The result of a rebuild.
     *
     * @param fencingToken the same from start to end
     * @param shortestRemainingLeaseMs the shortest remaining lease after any step
     * @param remainingLeaseMs remaining lease at the end
     */
    record Rebuilt(
            long fencingToken,
            long leaseMs,
            long tookMs,
            long shortestRemainingLeaseMs,
            long remainingLeaseMs,
            boolean stillHeld) {}
}
