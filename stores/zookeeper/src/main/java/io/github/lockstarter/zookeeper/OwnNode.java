package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A node of this instance in the queue of a lock. {@link OwnNodes} calls the methods that change it, under its lock;
 * any thread reads.
 */
final class OwnNode {

    enum State {
        /** The attempt that created the node has not decided yet. */
        JOINED,

        WAITING,

        HELD,

        /** A release that deletes or replaces the node is unanswered. */
        RELEASING,

        /** The release failed or was repeated: the node and its replacement, if any, are being deleted. */
        STRAY,

        GONE
    }

    private static final long SHORT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    final String key;
    volatile LockNode node;
    volatile State state = State.JOINED;

    /** Watched node in front of a waiting one; null if none is watched. */
    volatile @Nullable String before;

    /** Set by the grant, as all that follows. */
    volatile @Nullable LockToken token;

    /** Name of the last node of the queue at the grant, if that is another one. */
    volatile Optional<String> last = Optional.empty();

    volatile long leaseEnd;

    /** The server reports the deletion of this node. */
    volatile boolean watched;

    /** Next time to watch this node, or to delete a stray one. */
    volatile long retryAt;

    OwnNode(String key, LockNode node) {
        this.key = key;
        this.node = node;
    }

    boolean isOf(LockToken asked) {
        return asked.equals(token);
    }

    boolean grant(LockToken asked, LockNode proven, QueueSnapshot queue, long end) {
        boolean repeated = isOf(asked) && prolong(end);
        if (state != State.JOINED && state != State.WAITING && !repeated) {
            return false;
        }
        leaseEnd = repeated ? leaseEnd : end;
        retryAt = System.nanoTime() + SHORT_NANOS;
        last = queue.lastBehind(proven);
        node = proven;
        token = asked;
        return true;
    }

    boolean prolong(long end) {
        boolean held = state == State.HELD;
        if (held && end - leaseEnd > 0) {
            leaseEnd = end;
        }
        return held;
    }

    boolean isOver(long now) {
        return state != State.STRAY && leaseEnd - now <= 0;
    }

    boolean waitBehind(String path) {
        boolean moved = !path.equals(before);
        before = path;
        return state == State.WAITING && moved;
    }

    boolean stopWaitingBehind(String path) {
        boolean meant = state == State.WAITING && path.equals(before);
        before = meant ? null : before;
        return meant;
    }
}
