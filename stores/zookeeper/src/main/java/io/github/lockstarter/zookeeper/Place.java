package io.github.lockstarter.zookeeper;

import org.jspecify.annotations.Nullable;

/** The node by which this instance waits for a lock. Read and changed by the steps of its key, one at a time. */
final class Place {

    final LockNode node;

    /** The name of the node before, whose end this instance is told of; null if it is told of none. */
    @Nullable
    String watched;

    Place(LockNode node) {
        this.node = node;
    }
}
