package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.Objects;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * A lock that was granted to a lock token of this instance. Any thread reads; the end of the lease is only ever
 * prolonged, until it has come. Times are monotonic nanoseconds.
 */
final class Hold {

    /** The lock token of a key. */
    record Id(String key, LockToken token) {}

    /** When the lease ends, unless it is prolonged before; and whether it has, for good. */
    private record Lease(long end, boolean ended) {}

    final Id id;
    final LockNode node;
    private final AtomicReference<Lease> lease;

    /** Set before the node is deleted by this instance: nobody took it away then. */
    volatile boolean isReleasing;

    /** Whether the server tells this instance of the end of the node. */
    volatile boolean isWatched;

    volatile @Nullable Future<?> timer;

    Hold(Id id, LockNode node, long leaseEnd) {
        this.id = id;
        this.node = node;
        this.lease = new AtomicReference<>(new Lease(leaseEnd, false));
    }

    long nanosLeft(long now) {
        return lease().end - now;
    }

    /** The lease ends no earlier than then; false if it has ended. */
    boolean prolong(long end) {
        lease.updateAndGet(known -> known.ended || end - known.end <= 0 ? known : new Lease(end, false));
        return !lease().ended;
    }

    /** Whether the lease has ended: it is not prolonged any more then. */
    boolean endIfOver(long now) {
        lease.updateAndGet(known -> new Lease(known.end, known.ended || known.end - now <= 0));
        return lease().ended;
    }

    private Lease lease() {
        return Objects.requireNonNull(lease.get());
    }

    void stopTimer() {
        Future<?> known = timer;
        if (known != null) {
            known.cancel(false);
        }
    }
}
