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
 * Turns reports of single nodes into events of votes, and says when too few nodes answer, or too few vote since others
 * recover. The results of commands do not tell an outage of the quorum: with half of the nodes it cannot grant, but
 * answers that a token has no lock.
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
    private boolean lost;
    private long lostAt;

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
            if (!lost && answering() < quorum.needed()) {
                lost = true;
                lostAt = now;
                all.add(new Unreachable(name, Scope.ALL, tooFew(answering(), "answer")));
            }
        } else if (event instanceof Reachable back) {
            silent[node] = false;
            all.add(back);
            if (lost && answering() >= quorum.needed()) {
                lost = false;
                all.add(new Reachable(name, Scope.ALL, Duration.ofNanos(now - lostAt)));
            }
        } else if (event instanceof RecoveryStarted recovery) {
            recoversUntil[node] = now + recovery.remaining().toNanos();
            all.add(new RecoveryStarted(recovery.store(), Scope.VOTE, recovery.problem(), recovery.remaining()));
            long remaining = remaining(now);
            if (remaining > 0) {
                String problem = tooFew(voting(now), "vote") + ": " + recovery.problem();
                all.add(new RecoveryStarted(name, Scope.ALL, problem, Duration.ofNanos(remaining)));
            }
        }
        return all;
    }

    private int answering() {
        return (int)
                IntStream.range(0, quorum.nodes()).filter(node -> !silent[node]).count();
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

    private String tooFew(int nodes, String verb) {
        return "Only " + nodes + " of " + quorum.nodes() + " nodes " + verb + ", and " + quorum.needed()
                + " are needed";
    }
}
