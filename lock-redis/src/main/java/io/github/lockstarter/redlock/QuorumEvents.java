package io.github.lockstarter.redlock;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Turns reports of single nodes into events of votes, and says when too few of them vote since nodes recover. That too
 * few answer is found by the engine, which has no answers of the quorum then.
 *
 * <p>Any thread reports. {@code lock} guards all mutable fields; the receiver is called
 * outside of it.
 */
final class QuorumEvents {

    private final ReentrantLock lock = new ReentrantLock();
    private final Quorum quorum;
    private final String name;
    private final LongSupplier monotonicNanos;
    private final Consumer<StoreEvent> receiver;
    private final boolean[] silent;
    private final long[] recoversUntil;

    /**
     * All nodes answer and vote.
     *
     * @param quorum how many decide
     * @param name what messages call the quorum
     * @param monotonicNanos as {@link System#nanoTime()}
     * @param receiver is told; returns at once
     */
    QuorumEvents(Quorum quorum, String name, LongSupplier monotonicNanos, Consumer<StoreEvent> receiver) {
        this.quorum = quorum;
        this.name = name;
        this.monotonicNanos = monotonicNanos;
        this.receiver = receiver;
        this.silent = new boolean[quorum.nodes()];
        this.recoversUntil = new long[quorum.nodes()];
        Arrays.fill(recoversUntil, monotonicNanos.getAsLong());
    }

    /** Something happened to a node. */
    void report(int node, StoreEvent event) {
        List<StoreEvent> all;
        lock.lock();
        try {
            all = consequences(node, event);
        } finally {
            lock.unlock();
        }
        all.forEach(receiver);
    }

    private List<StoreEvent> consequences(int node, StoreEvent event) {
        long now = monotonicNanos.getAsLong();
        List<StoreEvent> all = new ArrayList<>(2);
        if (event instanceof Unreachable outage) {
            silent[node] = true;
            all.add(outage);
        } else if (event instanceof Reachable back) {
            silent[node] = false;
            all.add(back);
        } else if (event instanceof RecoveryStarted recovery) {
            recoversUntil[node] = now + recovery.remaining().toNanos();
            all.add(new RecoveryStarted(recovery.store(), Scope.VOTE, recovery.problem(), recovery.remaining()));
            long remaining = remaining(now);
            if (remaining > 0) {
                String problem = "Only " + voting(now) + " of " + quorum.nodes() + " nodes vote, and " + quorum.needed()
                        + " are needed: " + recovery.problem();
                all.add(new RecoveryStarted(name, Scope.ALL, problem, Duration.ofNanos(remaining)));
            }
        }
        return all;
    }

    private int voting(long now) {
        return (int) IntStream.range(0, quorum.nodes())
                .filter(node -> !silent[node] && recoversUntil[node] - now <= 0)
                .count();
    }

    /** Until enough of the nodes that answer vote; 0 if they do, or if not enough of them answer. */
    private long remaining(long now) {
        LongStream left = IntStream.range(0, quorum.nodes())
                .filter(node -> !silent[node])
                .mapToLong(node -> Math.max(0, recoversUntil[node] - now))
                .sorted();
        return left.skip(quorum.needed() - 1L).findFirst().orElse(0);
    }
}
