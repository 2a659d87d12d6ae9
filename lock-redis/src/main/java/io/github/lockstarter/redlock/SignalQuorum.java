package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The waits of this instance over all nodes: its places in their queues, and the signals that it has not received yet.
 *
 * <p><b>Places.</b> Each node has a queue of its own, with positions by its own clock. An instance that looks again
 * tells each node the place that this node gave it, so that all queues keep the order in which the instances came.
 *
 * <p><b>Signals.</b> One release is told by every node. The signal that is passed on is the one by which a quorum can
 * be ours: the last attempt was granted by <i>g</i> of the needed <i>q</i> nodes, so it is the (<i>q − g</i>)-th, from
 * as many nodes. What nodes tell after that is the same release, and a minority vote that another instance gives back
 * is none: two instances that take votes from each other would wake each other without end. Two instances cannot both
 * have the signals of a quorum. A second signal from a node that has signalled already belongs to another release, and
 * so does each that comes later than the window. Signals that do not suffice wake no waiter: then the instance looks
 * again by itself. After a release that queued the instance again, the first signal passes.
 *
 * <p>A key has an entry from the first attempt that waits, or the release that queues the instance again, until the
 * wait ends. Signals that come later, or for a key of which nobody waits, are spent: an instance whose place a node
 * still has, since its withdrawal had no answer there, does not pass them on. Of more than {@link #MOST} waits, the one
 * that was not used for longest is forgotten, and looks again by itself. A notice that another instance wants the lock
 * is passed on once in the same way, with the first node; the latest {@link #MOST} notices are remembered. Thread-safe.
 */
final class SignalQuorum {

    static final int MOST = 16_384;

    private static final class Wait {
        private final long[] positions;
        private final BitSet signalled = new BitSet();
        private int needed = 1;
        private boolean isPassed;
        private long since;

        Wait(int nodes) {
            positions = new long[nodes];
        }

        void begin(long now) {
            signalled.clear();
            isPassed = false;
            since = now;
        }
    }

    private final ReentrantLock lock = new ReentrantLock();
    private final Map<String, Wait> waits = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, Wait> notices = new LinkedHashMap<>(16, 0.75f, true);
    private final int nodes;
    private final long window;
    private final LongSupplier monotonicNanos;

    SignalQuorum(int nodes, RedlockSettings settings, LongSupplier monotonicNanos) {
        this.nodes = nodes;
        this.window = settings.nodeTimeout().toNanos();
        this.monotonicNanos = monotonicNanos;
    }

    /**
     * An attempt that waits is about to be sent. Until it is refused, the first signal passes: a release may be told
     * before all nodes have answered. True if the wait has begun with it.
     */
    boolean begun(String key) {
        return guarded(() -> {
            boolean isNew = waits.get(key) == null;
            known(key, waits);
            return isNew;
        });
    }

    /** The command as a node understands it: with the place that it gave this instance before. */
    AcquireCommand placed(int node, AcquireCommand command) {
        Waiting waiting = command.waiting().orElse(null);
        if (waiting == null || waiting.position() == Waiting.NEW) {
            return command;
        }
        long position = guarded(() -> {
            Wait wait = waits.get(command.key());
            return wait == null ? Waiting.NEW : wait.positions[node];
        });
        return position == Waiting.NEW
                ? command
                : new AcquireCommand(
                        command.key(),
                        command.token(),
                        command.lease(),
                        command.fencingFloor(),
                        command.fencingTokens(),
                        Optional.of(new Waiting(position, waiting.patience())),
                        command.atLeast(),
                        command.permits());
    }

    /** An attempt was refused; that many more nodes would have had to grant it. */
    void refused(String key, int missing) {
        guarded(() -> {
            Wait wait = known(key, waits);
            wait.needed = missing;
            wait.begin(monotonicNanos.getAsLong());
            return wait;
        });
    }

    /** A node has put this instance into its queue, and it still waits. */
    void placedAt(int node, String key, long position) {
        guarded(() -> waits.computeIfPresent(key, (k, wait) -> {
            wait.positions[node] = position;
            return wait;
        }));
    }

    /** This instance waits no longer: its places are given up, and the signals that are still to come are spent. */
    void ended(String key) {
        guarded(() -> waits.remove(key));
    }

    /**
     * A release is about to queue this instance again, behind all others: the signals that are still to come are of
     * theirs.
     */
    void requeued(String key) {
        guarded(() -> {
            waits.remove(key);
            return known(key, waits);
        });
    }

    /** Whether a signal is the one to pass on. */
    boolean signalled(int node, String key) {
        return guarded(() -> {
            Wait wait = waits.get(key);
            return wait != null && isDue(node, wait);
        });
    }

    /** Whether a notice that the lock is wanted is the first of those that the nodes send. */
    boolean wanted(int node, String key) {
        return guarded(() -> isDue(node, known(key, notices)));
    }

    /** How many waits are remembered. */
    int size() {
        return guarded(waits::size);
    }

    private Wait known(String key, Map<String, Wait> some) {
        Wait wait = some.computeIfAbsent(key, k -> new Wait(nodes));
        if (some.size() > MOST) {
            some.remove(some.keySet().iterator().next());
        }
        return wait;
    }

    private boolean isDue(int node, Wait wait) {
        long now = monotonicNanos.getAsLong();
        if (wait.signalled.isEmpty() || wait.signalled.get(node) || now - wait.since > window) {
            wait.begin(now);
        }
        wait.signalled.set(node);
        boolean isDue = !wait.isPassed && wait.signalled.cardinality() >= wait.needed;
        wait.isPassed |= isDue;
        return isDue;
    }

    private <R extends @Nullable Object> R guarded(Supplier<R> step) {
        lock.lock();
        try {
            return step.get();
        } finally {
            lock.unlock();
        }
    }
}
