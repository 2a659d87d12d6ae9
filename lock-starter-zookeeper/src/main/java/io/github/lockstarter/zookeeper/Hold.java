package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was granted to a lock token of this instance. Any thread reads; the end of the lease is only ever
 * prolonged. Times are monotonic nanoseconds.
 */
final class Hold {

    /** The lock token of a key. */
    record Id(String key, LockToken token) {}

    final Id id;
    final LockNode node;
    private final AtomicLong leaseEnd;

    /** Set before the node is deleted by this instance: nobody took it away then. */
    volatile boolean isReleasing;

    volatile @Nullable Future<?> timer;

    Hold(Id id, LockNode node, long leaseEnd) {
        this.id = id;
        this.node = node;
        this.leaseEnd = new AtomicLong(leaseEnd);
    }

    long nanosLeft(long now) {
        return leaseEnd.get() - now;
    }

    void prolong(long end) {
        leaseEnd.accumulateAndGet(end, (known, asked) -> asked - known > 0 ? asked : known);
    }

    void stopTimer() {
        Future<?> known = timer;
        if (known != null) {
            known.cancel(false);
        }
    }
}
