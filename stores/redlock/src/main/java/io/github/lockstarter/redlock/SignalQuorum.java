package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.LongSupplier;

/**
 * This instance's waits across all nodes: its places in their queues, and the signals received.
 * <p><b>Places.</b> Each node has its own queue with positions by its own clock. A retry sends each node the position
 * that this node assigned, so all queues keep the order of arrival.
 * <p><b>Signals.</b> Every node signals the same release. If the last attempt got <i>g</i> of the <i>q</i> needed
 * grants, the (<i>q − g</i>)-th node to signal makes a quorum possible, and only its signal is forwarded. Fewer
 * signals, such as for a minority vote that another instance gives back, wake no waiter: two instances taking votes
 * from each other would wake each other endlessly. The instance then polls. A second signal of the same node, or one
 * after the window, starts another release. After a release that requeues the instance, the first signal is forwarded.
 * <p>An entry lives from the first waiting attempt, or the requeueing release, until the wait ends; without one,
 * signals are dropped. Beyond {@link #MOST} waits, the least recently used is dropped, and the instance polls for it. A
 * notice that another instance wants the lock is forwarded for the first node only. Thread-safe.
 */
final class SignalQuorum {

    static final int MOST = 16_384;

    private static final class WaitedKey {
        private final long[] positions;
        private final BitSet signalled = new BitSet();
        private int needed = 1;
        private long since;

        WaitedKey(int nodes) {
            positions = new long[nodes];
        }

        void begin(long now) {
            signalled.clear();
            since = now;
        }
    }

    private final Map<String, WaitedKey> waits = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<String, WaitedKey> notices = new LinkedHashMap<>(16, 0.75f, true);
    private final int nodes;
    private final long window;
    private final LongSupplier monotonicNanos;

    SignalQuorum(int nodes, RedlockSettings settings, LongSupplier monotonicNanos) {
        this.nodes = nodes;
        this.window = settings.nodeTimeout().toNanos();
        this.monotonicNanos = monotonicNanos;
    }

    /**
     * Until the attempt is refused, the first signal is forwarded: a release may be signalled before all nodes have
     * answered.
     *
     * @return whether the wait began with it
     */
    synchronized boolean begun(String key) {
        boolean firstWait = waits.get(key) == null;
        known(key, waits);
        return firstWait;
    }

    AcquireCommand placed(int node, AcquireCommand command) {
        Waiting waiting = command.waiting().orElse(null);
        if (waiting == null || waiting.position() == Waiting.NEW) {
            return command;
        }
        long position = positionOf(node, command.key());
        return position == Waiting.NEW ? command : command.with(new Waiting(position, waiting.patience()));
    }

    private synchronized long positionOf(int node, String key) {
        WaitedKey wait = waits.get(key);
        return wait == null ? Waiting.NEW : wait.positions[node];
    }

    synchronized void refused(String key, int missing) {
        WaitedKey wait = known(key, waits);
        wait.needed = missing;
        wait.begin(monotonicNanos.getAsLong());
    }

    synchronized void placedAt(int node, String key, long position) {
        WaitedKey wait = waits.get(key);
        if (wait != null) {
            wait.positions[node] = position;
        }
    }

    synchronized void ended(String key) {
        waits.remove(key);
    }

    /** Called before a release requeues this instance: pending signals belong to its earlier place. */
    synchronized void requeued(String key) {
        waits.remove(key);
        known(key, waits);
    }

    synchronized boolean signalled(int node, String key) {
        WaitedKey wait = waits.get(key);
        return wait != null && isDue(node, wait);
    }

    synchronized boolean wanted(int node, String key) {
        return isDue(node, known(key, notices));
    }

    synchronized int size() {
        return waits.size();
    }

    private WaitedKey known(String key, Map<String, WaitedKey> some) {
        WaitedKey wait = some.computeIfAbsent(key, k -> new WaitedKey(nodes));
        if (some.size() > MOST) {
            some.remove(some.keySet().iterator().next());
        }
        return wait;
    }

    private boolean isDue(int node, WaitedKey wait) {
        long now = monotonicNanos.getAsLong();
        if (wait.signalled.isEmpty() || wait.signalled.get(node) || now - wait.since > window) {
            wait.begin(now);
        }
        wait.signalled.set(node);
        return wait.signalled.cardinality() == wait.needed;
    }
}
