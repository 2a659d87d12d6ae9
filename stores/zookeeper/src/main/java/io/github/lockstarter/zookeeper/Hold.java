package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;

/** A lock that was granted to a lock token of this instance. Any thread reads. */
final class Hold {

    final String key;
    final LockToken token;
    final LockNode node;

    /** In monotonic nanoseconds. {@link Holds} changes it. */
    volatile long leaseEnd;

    /** Set before the node is deleted by this instance: nobody took it away then. */
    volatile boolean isReleasing;

    /** Whether the server tells this instance of the end of the node. */
    volatile boolean isWatched;

    Hold(String key, LockToken token, LockNode node, long leaseEnd) {
        this.key = key;
        this.token = token;
        this.node = node;
        this.leaseEnd = leaseEnd;
    }
}
