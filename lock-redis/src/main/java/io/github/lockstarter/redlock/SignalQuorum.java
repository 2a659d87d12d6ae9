package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.util.Arrays;
import java.util.BitSet;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The wait of this instance over all nodes: its places in their queues, and the signals that it has not received yet.
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
 * again by itself.
 *
 * <p>Without an attempt that was refused, such as after a release that queued the instance again, the first signal
 * passes.
 *
 * <p>Thread-safe: an entry is changed in {@link ConcurrentMap#compute} only. Entries are small, and dropped when they
 * have not been used for as long as no registration lives.
 */
final class SignalQuorum {

    /** Entries above this number are looked through for old ones. */
    private static final int MANY = 1_024;

    /** How often at most, within the time for which an entry is kept. */
    private static final int LOOKS = 4;

    private static final class Wait {
        private final long[] positions;
        private final BitSet signalled = new BitSet();
        private int needed = 1;
        private boolean passed;
        private long since;
        private long usedAt;

        Wait(int nodes) {
            positions = new long[nodes];
        }

        /** What this instance has waited for until now is over: its places, and the signals that came. */
        void end(long now) {
            Arrays.fill(positions, Waiting.NEW);
            needed = 1;
            begin(now);
        }

        void begin(long now) {
            signalled.clear();
            passed = false;
            since = now;
        }
    }

    private final ConcurrentMap<String, Wait> waits = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, Wait> notices = new ConcurrentHashMap<>();
    private final int nodes;
    private final long window;
    private final long memory;
    private final AtomicLong nextLook;
    private final LongSupplier monotonicNanos;

    SignalQuorum(int nodes, RedlockSettings settings, LongSupplier monotonicNanos) {
        this.nodes = nodes;
        this.window = settings.nodeTimeout().toNanos();
        this.memory = settings.longestLease().multipliedBy(4).toNanos();
        this.monotonicNanos = monotonicNanos;
        this.nextLook = new AtomicLong(monotonicNanos.getAsLong());
    }

    /** The command as a node understands it: with the place that it gave this instance before. */
    AcquireCommand placed(int node, AcquireCommand command) {
        Waiting waiting = command.waiting().orElse(null);
        if (waiting == null || waiting.position() == Waiting.NEW) {
            return command;
        }
        long[] place = {waiting.position()};
        waits.computeIfPresent(command.key(), (key, wait) -> {
            if (wait.positions[node] != Waiting.NEW) {
                place[0] = wait.positions[node];
            }
            return wait;
        });
        return new AcquireCommand(
                command.key(),
                command.token(),
                command.lease(),
                command.fencingFloor(),
                command.fencingTokens(),
                Optional.of(new Waiting(place[0], waiting.patience())),
                command.atLeast());
    }

    /** A node has put this instance into its queue. */
    void placedAt(int node, String key, long position) {
        change(waits, key, wait -> wait.positions[node] = position);
    }

    /** An attempt was refused; that many more nodes would have had to grant it. */
    void refused(String key, int missing) {
        change(waits, key, wait -> {
            wait.needed = missing;
            wait.begin(monotonicNanos.getAsLong());
        });
        dropOld();
    }

    /** This instance waits no longer: its places are given up, and the signals that are still to come are spent. */
    void ended(String key) {
        waits.computeIfPresent(key, (k, wait) -> {
            wait.end(monotonicNanos.getAsLong());
            wait.passed = true;
            return wait;
        });
    }

    /**
     * A release is about to queue this instance again, behind all others: the signals that are still to come are of
     * theirs.
     */
    void requeued(String key) {
        waits.computeIfPresent(key, (k, wait) -> {
            wait.end(monotonicNanos.getAsLong());
            return wait;
        });
    }

    /** Whether a signal is the one to pass on. */
    boolean signalled(int node, String key) {
        return isDue(waits, node, key);
    }

    /** Whether a notice that the lock is wanted is the first of those that the nodes send. */
    boolean wanted(int node, String key) {
        boolean due = isDue(notices, node, key);
        dropOld();
        return due;
    }

    private boolean isDue(ConcurrentMap<String, Wait> kind, int node, String key) {
        AtomicBoolean due = new AtomicBoolean();
        long now = monotonicNanos.getAsLong();
        change(kind, key, wait -> {
            boolean first = wait.signalled.isEmpty() && !wait.passed;
            if (first || wait.signalled.get(node) || now - wait.since > window) {
                wait.begin(now);
            }
            wait.signalled.set(node);
            due.set(!wait.passed && wait.signalled.cardinality() >= wait.needed);
            wait.passed |= due.get();
        });
        return due.get();
    }

    private void change(ConcurrentMap<String, Wait> kind, String key, Consumer<Wait> change) {
        kind.compute(key, (k, known) -> {
            Wait wait = known == null ? new Wait(nodes) : known;
            if (known == null) {
                wait.since = monotonicNanos.getAsLong();
            }
            wait.usedAt = monotonicNanos.getAsLong();
            change.accept(wait);
            return wait;
        });
    }

    /** Goes through all entries, on the thread of a node: so it is done once in a while, whatever comes meanwhile. */
    private void dropOld() {
        long now = monotonicNanos.getAsLong();
        long due = nextLook.get();
        if (now - due >= 0 && size() > MANY && nextLook.compareAndSet(due, now + memory / LOOKS)) {
            dropOld(waits, now);
            dropOld(notices, now);
        }
    }

    private void dropOld(ConcurrentMap<String, Wait> kind, long now) {
        kind.keySet().forEach(key -> kind.computeIfPresent(key, (k, wait) -> isOld(wait, now) ? null : wait));
    }

    private boolean isOld(Wait wait, long now) {
        return now - wait.usedAt > memory;
    }

    /** How many keys are remembered. */
    int size() {
        return waits.size() + notices.size();
    }
}
