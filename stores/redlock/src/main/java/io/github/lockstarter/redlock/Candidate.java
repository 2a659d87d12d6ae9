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
import java.util.function.Consumer;

/**
 * A lock token under acquisition, and the nodes that have to free it once it is given up: on release, on refusal, or
 * when a renewal finds the lock lost.
 * <p>Refusal and loss immediately free every node that granted the lock or did not answer. A release frees whatever its
 * node executed before it. Nodes answer in execution order, so a grant that is answered after the release, or not at
 * all, may have been executed after it and is freed again.
 * <p>Called on the nodes' threads and by the releasing thread. A candidate stays in the map until all its commands are
 * answered; {@code open} counts them and changes only inside an update of the map. Its monitor guards the other
 * fields and the state of the token's rounds. Nothing is sent and no outcome is completed while holding it.
 * <p>Accepted: an attempt that fails without an answer between sending the release and its answer is freed by the
 * release alone; so is a grant that is answered between the answer to the release and {@link #released}. If the node
 * executed it after the release, it stays until its lease ends.
 */
final class Candidate {

    private final List<QuorumMember> nodes;
    private final ConcurrentMap<LockToken, Candidate> candidates;
    private final String key;
    private final LockToken token;
    private final BitSet mayHold = new BitSet();
    private final BitSet freesLateGrants = new BitSet();
    private boolean givenUp;
    private int open;

    private Candidate(
            List<QuorumMember> nodes, ConcurrentMap<LockToken, Candidate> candidates, String key, LockToken token) {
        this.nodes = nodes;
        this.candidates = candidates;
        this.key = key;
        this.token = token;
    }

    /** Registers {@code commands} that are about to be sent for the token; each must be followed by {@link #end}. */
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

    CompletionStage<AcquireResult> attempt(int node, Duration lease, long fencingFloor, int fencingTokens) {
        of(nodes, candidates, key, token, 1);
        return nodes.get(node)
                .attemptAtNode(new AcquireCommand(key, token, lease, fencingFloor, fencingTokens, Optional.empty()));
    }

    /** Applies an answer to this candidate and to its round in one step. */
    void answered(int node, Object answer, Consumer<List<Runnable>> round) {
        List<Runnable> consequences = new ArrayList<>();
        synchronized (this) {
            note(node, answer, consequences);
            round.accept(consequences);
        }
        consequences.forEach(Runnable::run);
        end();
    }

    private void note(int node, Object answer, List<Runnable> consequences) {
        boolean mayHaveGranted = answer instanceof AcquireResult.Granted
                || answer instanceof AcquireResult.Unknown
                || (answer instanceof RenewResult && !(answer instanceof RenewResult.NotHeld));
        if (mayHaveGranted && freesLateGrants.get(node)) {
            consequences.add(() -> free(node));
        } else if (mayHaveGranted) {
            mayHold.set(node);
        }
    }

    /** Called under the monitor. */
    boolean isGivenUp() {
        return givenUp;
    }

    /** Called under the monitor. */
    void giveUp(List<Runnable> consequences) {
        if (!givenUp) {
            givenUp = true;
            freesLateGrants.set(0, nodes.size());
            mayHold.stream().forEach(node -> consequences.add(() -> free(node)));
        }
    }

    /** Called before the release is sent, which frees all grants answered so far. */
    synchronized void releases() {
        givenUp = true;
    }

    synchronized void released(int node) {
        freesLateGrants.set(node);
    }

    private void free(int node) {
        nodes.get(node).free(key, token);
    }
}
