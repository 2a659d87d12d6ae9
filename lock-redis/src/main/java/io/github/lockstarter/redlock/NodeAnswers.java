package io.github.lockstarter.redlock;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Function;

/**
 * Collects the answers of all nodes to one command until they suffice.
 *
 * <p>Called by the nodes' threads; {@link #answers} is guarded by {@link #lock}. The outcome is completed outside the
 * lock.
 *
 * @param <R> answer of a node, and of all
 */
final class NodeAnswers<R> {

    private final ReentrantLock lock = new ReentrantLock();
    private final List<R> answers = new ArrayList<>();
    private final Function<List<R>, Optional<R>> decision;
    private final CompletableFuture<R> outcome = new CompletableFuture<>();

    private NodeAnswers(Function<List<R>, Optional<R>> decision) {
        this.decision = decision;
    }

    /**
     * Sends to every node before it looks at any answer.
     *
     * @param command what to ask of a node
     * @param decision what the answers so far come to; empty as long as others may change it, never with all
     */
    static <R> CompletionStage<R> hold(
            List<QuorumMember> nodes,
            Function<QuorumMember, CompletionStage<R>> command,
            Function<List<R>, Optional<R>> decision) {
        NodeAnswers<R> poll = new NodeAnswers<>(decision);
        nodes.stream().map(command).toList().forEach(answer -> answer.thenAccept(poll::answered));
        return poll.outcome;
    }

    private void answered(R answer) {
        Optional<R> decided;
        lock.lock();
        try {
            answers.add(answer);
            decided = decision.apply(answers);
        } finally {
            lock.unlock();
        }
        decided.ifPresent(outcome::complete);
    }
}
