package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * A token that nodes are asked to give the lock, and the nodes on which it has to be freed once it is given up: by its
 * release, by a refusal, or by a renewal that finds the lock lost. Nothing is freed before that.
 *
 * <p>A refusal and a loss free what was granted, or has no answer, at once. A release that is sent to a node frees what
 * the node executed before it. A node answers in the order in which it executes, so what it grants before it answers
 * the release needs nothing more. What it grants later it may have executed behind the release, and so may it what has
 * no answer by then: both are freed.
 *
 * <p>Called by the nodes' threads and by the one that releases. It is among the candidates from the first command that
 * may give it the lock until all of them are answered; {@code open} counts them, and changes in an update of that map
 * only. The other fields are guarded by {@code lock}, and so is the state of the rounds of the token. Nothing is sent,
 * and no outcome completed, under it.
 *
 * <p>Accepted: an attempt that fails without an answer after the release was sent, and before it is answered, is
 * freed by the release alone; so is a grant that is answered between the answer to the release and {@link #released}.
 * If the node executed it behind the release, it ends with its lease.
 */
final class Candidate {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<QuorumMember> nodes;
    private final ConcurrentMap<LockToken, Candidate> candidates;
    private final String key;
    private final LockToken token;
    private final BitSet mayHave = new BitSet();
    private final BitSet isOver = new BitSet();
    private boolean isGivenUp;
    private int open;

    private Candidate(
            List<QuorumMember> nodes, ConcurrentMap<LockToken, Candidate> candidates, String key, LockToken token) {
        this.nodes = nodes;
        this.candidates = candidates;
        this.key = key;
        this.token = token;
    }

    /** The candidate with this token, for which that many commands are about to be sent; each has its {@link #end}. */
    static Candidate of(
            List<QuorumMember> nodes,
            ConcurrentMap<LockToken, Candidate> candidates,
            String key,
            LockToken token,
            int commands) {
        return candidates.compute(token, (t, known) -> {
            Candidate candidate = known == null ? new Candidate(nodes, candidates, key, token) : known;
            candidate.open += commands;
            return candidate;
        });
    }

    void end() {
        candidates.computeIfPresent(token, (t, known) -> --open == 0 ? null : this);
    }

    /** Repeats the attempt at a node; the answer is for {@link #answered}. */
    CompletionStage<AcquireResult> attempt(int node, Duration lease, long fencingFloor, int fencingTokens) {
        of(nodes, candidates, key, token, 1);
        return nodes.get(node)
                .acquire(new AcquireCommand(key, token, lease, fencingFloor, fencingTokens, Optional.empty()));
    }

    /**
     * Takes an answer to a command that may give the token the lock: its effect here, and on the round that asked, in
     * one step. Then carries out what follows from it.
     *
     * @param round adds to the consequences
     */
    void answered(int node, Object answer, Consumer<List<Runnable>> round) {
        List<Runnable> consequences = new ArrayList<>();
        lock.lock();
        try {
            note(node, answer, consequences);
            round.accept(consequences);
        } finally {
            lock.unlock();
        }
        consequences.forEach(Runnable::run);
        end();
    }

    private void note(int node, Object answer, List<Runnable> consequences) {
        boolean mayHaveGranted = answer instanceof AcquireResult.Granted
                || answer instanceof AcquireResult.Unknown
                || (answer instanceof RenewResult && !(answer instanceof RenewResult.NotHeld));
        if (mayHaveGranted && isOver.get(node)) {
            consequences.add(() -> free(node));
        } else if (mayHaveGranted) {
            mayHave.set(node);
        }
    }

    /** Called under the lock. */
    boolean isGivenUp() {
        return isGivenUp;
    }

    /** Gives the token up without a release. Called under the lock. */
    void giveUp(List<Runnable> consequences) {
        if (!isGivenUp) {
            isGivenUp = true;
            isOver.set(0, nodes.size());
            mayHave.stream().forEach(node -> consequences.add(() -> free(node)));
        }
    }

    /** The release is about to be sent: it frees what was answered so far. */
    void releases() {
        lock.lock();
        try {
            isGivenUp = true;
        } finally {
            lock.unlock();
        }
    }

    /** The node has answered the release. */
    void released(int node) {
        lock.lock();
        try {
            isOver.set(node);
        } finally {
            lock.unlock();
        }
    }

    private void free(int node) {
        nodes.get(node).free(key, token);
    }
}
