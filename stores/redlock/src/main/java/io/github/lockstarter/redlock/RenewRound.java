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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.stream.IntStream;

/**
 * One renewal at all nodes. After all answers it is deferred if the deferring nodes would complete a quorum.
 * <p><b>Spreading.</b> A node without the lock, because it was down or busy at the grant, receives it once the renewal
 * has succeeded: the attempt is repeated there for the same token. The renewing nodes are a quorum that had the lock
 * all the time, so no other token can have it. The node does not count for this renewal, which proves that the lock was
 * held without a gap. If it recovers, or has another owner, it refuses.
 * <p>A lost lock is given up right after its holder was notified by dependents of the outcome: a remaining minority
 * would block other owners, and no release follows.
 */
final class RenewRound {

    private RenewRound() {}

    static List<CompletionStage<RenewResult>> hold(
            List<QuorumMember> nodes, List<RenewCommand> commands, ConcurrentMap<LockToken, Candidate> candidates) {
        List<Candidate> tokens = commands.stream()
                .map(command -> Candidate.of(nodes, candidates, command.key(), command.token(), nodes.size()))
                .toList();
        List<List<CompletionStage<RenewResult>>> answers =
                nodes.stream().map(node -> node.renewAtNode(commands)).toList();
        return IntStream.range(0, commands.size())
                .mapToObj(i -> decided(
                        commands.get(i),
                        tokens.get(i),
                        answers.stream().map(ofNode -> ofNode.get(i)).toList()))
                .toList();
    }

    private static CompletionStage<RenewResult> decided(
            RenewCommand command, Candidate candidate, List<CompletionStage<RenewResult>> answers) {
        CompletionStage<RenewResult> outcome =
                NodeAnswers.decided(new Quorum(answers.size()), answers::get, received -> decision(command, received));
        for (int i = 0; i < answers.size(); i++) {
            int node = i;
            answers.get(node)
                    .thenAcceptBoth(
                            outcome,
                            (answer, result) -> candidate.answered(node, answer, consequences -> {
                                if (result instanceof NotHeld) {
                                    candidate.giveUp(consequences);
                                } else if (result instanceof Renewed
                                        && answer instanceof NotHeld
                                        && !candidate.isGivenUp()) {
                                    consequences.add(() -> spread(command, candidate, node));
                                }
                            }));
        }
        return outcome;
    }

    private static void spread(RenewCommand command, Candidate candidate, int node) {
        candidate
                .attempt(node, command.lease(), command.fencingToken() - 1, 1)
                .thenAccept(answer -> candidate.answered(node, answer, any -> {}));
    }

    private static Optional<RenewResult> decision(RenewCommand command, NodeAnswers<RenewResult> answers) {
        Quorum quorum = answers.quorum;
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
