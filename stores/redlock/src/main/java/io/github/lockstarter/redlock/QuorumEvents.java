package io.github.lockstarter.redlock;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.Reachable;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.StoreEvent.Scope;
import io.github.lockstarter.StoreEvent.Unreachable;
import java.time.Duration;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Turns events of single nodes into events of votes, and reports when too few nodes answer or vote. Command results
 * cannot show an outage of the quorum: half of the nodes cannot grant a lock, but can still answer that a token does
 * not have it.
 * <p>Thread-safe. Its monitor guards all mutable fields; the receiver is called outside of it.
 */
final class QuorumEvents {

    private final Quorum quorum;
    private final String name;
    private final LongSupplier monotonicNanos;
    private final Consumer<StoreEvent> receiver;
    private final BitSet silent = new BitSet();
    private final long[] recoversUntil;
    private boolean lost;
    private long lostAt;

    QuorumEvents(Quorum quorum, String name, LongSupplier monotonicNanos, Consumer<StoreEvent> receiver) {
        this.quorum = quorum;
        this.name = name;
        this.monotonicNanos = monotonicNanos;
        this.receiver = receiver;
        this.recoversUntil = new long[quorum.nodes()];
        Arrays.fill(recoversUntil, monotonicNanos.getAsLong());
    }

    void report(int node, StoreEvent event) {
        consequences(node, event, monotonicNanos.getAsLong()).forEach(receiver);
    }

    private synchronized List<StoreEvent> consequences(int node, StoreEvent event, long now) {
        if (event instanceof RecoveryStarted recovery) {
            return recovering(node, recovery, now);
        }
        silent.set(node, event instanceof Unreachable);
        boolean tooFew = answering() < quorum.needed();
        if (tooFew == lost) {
            return List.of(event);
        }
        Duration lasted = Duration.ofNanos(now - lostAt);
        lost = tooFew;
        lostAt = now;
        return List.of(
                event,
                lost
                        ? new Unreachable(name, Scope.ALL, quorum.tooFew(answering(), "answer"))
                        : new Reachable(name, Scope.ALL, lasted));
    }

    private List<StoreEvent> recovering(int node, RecoveryStarted recovery, long now) {
        recoversUntil[node] = now + recovery.remaining().toNanos();
        StoreEvent ofVote = new RecoveryStarted(recovery.store(), Scope.VOTE, recovery.problem(), recovery.remaining());
        long remaining = remaining(now);
        if (remaining == 0) {
            return List.of(ofVote);
        }
        int voting = (int) left(now).filter(left -> left == 0).count();
        String problem = quorum.tooFew(voting, "vote") + ": " + recovery.problem();
        return List.of(ofVote, new RecoveryStarted(name, Scope.ALL, problem, Duration.ofNanos(remaining)));
    }

    private int answering() {
        return quorum.nodes() - silent.cardinality();
    }

    private long remaining(long now) {
        return left(now).sorted().skip(quorum.needed() - 1L).findFirst().orElse(0);
    }

    private LongStream left(long now) {
        return IntStream.range(0, quorum.nodes())
                .filter(node -> !silent.get(node))
                .mapToLong(node -> Math.max(0, recoversUntil[node] - now));
    }
}
