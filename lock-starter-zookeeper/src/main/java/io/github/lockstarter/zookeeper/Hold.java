package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was granted to a lock token of this instance. Any thread reads; the end of the lease is only ever
 * prolonged, until the lease {@link #ended}. Times are monotonic nanoseconds.
 */
final class Hold {

    /** The lock token of a key. */
    record Id(String key, LockToken token) {}

    final Id id;
    final LockNode node;
    private long leaseEnd;
    private boolean ended;

    /** Set before the node is deleted by this instance: nobody took it away then. */
    volatile boolean isReleasing;

    /** Whether the server tells this instance of the end of the node. */
    volatile boolean isWatched;

    volatile @Nullable Future<?> timer;

    Hold(Id id, LockNode node, long leaseEnd) {
        this.id = id;
        this.node = node;
        this.leaseEnd = leaseEnd;
    }

    synchronized long nanosLeft(long now) {
        return leaseEnd - now;
    }

    /** The lease ends no earlier than then; false if it has ended. */
    synchronized boolean prolong(long end) {
        if (!ended && end - leaseEnd > 0) {
            leaseEnd = end;
        }
        return !ended;
    }

    /** Whether the lease has ended: it is not prolonged any more then. */
    synchronized boolean endIfOver(long now) {
        ended = ended || leaseEnd - now <= 0;
        return ended;
    }

    void stopTimer() {
        Future<?> known = timer;
        if (known != null) {
            known.cancel(false);
        }
    }
}
