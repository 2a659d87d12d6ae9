package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.RenewResult.Deferred;
import io.github.lockstarter.spi.RenewResult.NotHeld;
import io.github.lockstarter.spi.RenewResult.Renewed;
import io.github.lockstarter.spi.RenewResult.Unknown;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * One renewal at all nodes. Renewed as soon as a quorum renews; not held as soon as the other nodes are too few for a
 * quorum. After all answers: deferred if the deferring nodes would complete a quorum, else unknown.
 * <p><b>Spreading.</b> A node without the lock, because it was down or busy at the grant, receives it once the renewal
 * has succeeded: the attempt is repeated there for the same token. The renewing nodes are a quorum that had the lock
 * all the time, so no other token can have it, and another node only strengthens it. That node does not count for this
 * renewal, which proves that the lock was held without a gap. A node that recovers, or has another owner, refuses until
 * a later renewal.
 * <p>A lost lock is given up right after its holder was notified: a remaining minority would block other owners, and no
 * release follows.
 * <p>Called on the nodes' threads; the candidate's lock guards all mutable state.
 */
final class RenewRound {

    private final List<QuorumMember> nodes;
    private final RenewCommand command;
    private final Candidate candidate;
    private final NodeAnswers<RenewResult> answers;
    private final Quorum quorum;
    private final CompletableFuture<RenewResult> outcome = new CompletableFuture<>();
    private @Nullable RenewResult decided;

    private RenewRound(List<QuorumMember> nodes, RenewCommand command, ConcurrentMap<LockToken, Candidate> candidates) {
        this.nodes = nodes;
        this.command = command;
        this.candidate = Candidate.of(nodes, candidates, command.key(), command.token(), nodes.size());
        this.quorum = new Quorum(nodes.size());
        this.answers = new NodeAnswers<>(quorum);
    }

    /** Sends all renewals to every node; each renewal is decided separately. */
    static List<CompletionStage<RenewResult>> hold(
            List<QuorumMember> nodes, List<RenewCommand> commands, ConcurrentMap<LockToken, Candidate> candidates) {
        List<RenewRound> rounds = commands.stream()
                .map(command -> new RenewRound(nodes, command, candidates))
                .toList();
        List<List<CompletionStage<RenewResult>>> answers =
                nodes.stream().map(node -> node.renew(commands)).toList();
        for (int i = 0; i < rounds.size(); i++) {
            int command = i;
            RenewRound round = rounds.get(command);
            NodeAnswers.ask(round.quorum, node -> answers.get(node).get(command), round::answered);
        }
        return rounds.stream()
                .<CompletionStage<RenewResult>>map(round -> round.outcome)
                .toList();
    }

    private void answered(int node, RenewResult answer) {
        candidate.answered(node, answer, consequences -> {
            answers.set(node, answer);
            boolean isOpen = decided == null;
            if (isOpen) {
                decided = decision().orElse(null);
            }
            RenewResult decision = decided;
            if (decision instanceof Renewed && !candidate.isGivenUp()) {
                spread(isOpen ? IntStream.range(0, nodes.size()) : IntStream.of(node), consequences);
            }
            if (isOpen && decision != null) {
                consequences.add(() -> outcome.complete(decision));
            }
            if (isOpen && decision instanceof NotHeld) {
                candidate.giveUp(consequences);
            }
        });
    }

    /** Repeats the attempt at the nodes that do not hold the lock. */
    private void spread(IntStream among, List<Runnable> consequences) {
        among.filter(node -> answers.at(node) instanceof NotHeld)
                .forEach(node -> consequences.add(() -> candidate
                        .attempt(node, command.lease(), command.fencingToken() - 1, 1)
                        .thenAccept(answer -> candidate.answered(node, answer, any -> {}))));
    }

    private Optional<RenewResult> decision() {
        int renewed = answers.count(Renewed.class);
        if (renewed >= quorum.needed()) {
            return Optional.of(new Renewed());
        }
        if (answers.count(NotHeld.class) >= quorum.blocking()) {
            return Optional.of(new NotHeld());
        }
        if (answers.missing() > 0) {
            return Optional.empty();
        }
        return answers.of(Deferred.class)
                .map(Deferred::retryAfter)
                .sorted()
                .skip(quorum.needed() - renewed - 1L)
                .findFirst()
                .<RenewResult>map(Deferred::new)
                .or(() -> Optional.of(
                        answers.unknown(quorum.tooFew(renewed, "renewed lock '" + command.key() + "'"), Unknown::new)));
    }
}
