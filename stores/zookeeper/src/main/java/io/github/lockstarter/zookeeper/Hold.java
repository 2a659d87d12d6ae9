package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** A lock that was granted to a lock token of this instance. Any thread reads. */
final class Hold {

    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    final String key;
    final LockToken token;
    final LockNode node;

    /** The name of the last node behind it in the line when it was granted. */
    final Optional<String> lastBehind;

    /** In monotonic nanoseconds. {@link Holds} changes it. */
    volatile long leaseEnd;

    /** Set before the node is deleted by this instance: nobody took it away then. */
    volatile boolean isReleasing;

    /** Whether the server tells this instance of the end of the node. */
    volatile boolean isWatched;

    /** When the server is asked for that, in monotonic nanoseconds. {@link Holds} changes it. */
    volatile long watchAt;

    Hold(String key, LockToken token, LockNode node, Optional<String> lastBehind, long leaseEnd) {
        this.key = key;
        this.token = token;
        this.node = node;
        this.lastBehind = lastBehind;
        this.leaseEnd = leaseEnd;
        this.watchAt = System.nanoTime() + SHORT_NANOS;
    }
}
