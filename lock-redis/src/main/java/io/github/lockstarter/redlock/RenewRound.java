package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.RenewResult.Deferred;
import io.github.lockstarter.spi.RenewResult.NotHeld;
import io.github.lockstarter.spi.RenewResult.Renewed;
import io.github.lockstarter.spi.RenewResult.Unknown;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One renewal at all nodes: collects their answers until a quorum decides. Renewed, as soon as a quorum says so. Not
 * held, as soon as so many say so that the others are no quorum. Else, when all have answered: deferred if the nodes
 * that defer would make a quorum, or unknown.
 *
 * <p><b>Spreading.</b> A node that was down or busy at the grant, and has not the lock, is given it once the renewal is
 * known to have succeeded: the attempt is repeated there, for the same token. The nodes that renewed are a quorum that
 * had the lock all the time, so no other token can have it, and one node more only adds to it. It does not count for
 * this renewal, which answers whether the lock was ours without a gap. A node that recovers, or where another owner has
 * the lock, refuses; the next renewal asks again.
 *
 * <p><b>Late answers.</b> A renewal brings the lock back where a node recovers, so the round waits for the answer to
 * each renewal and each attempt. A lock that is found lost is given up, as soon as its holder has been told. What is
 * decided while the lock is being released is never a renewal.
 *
 * <p>Called by the nodes' threads. {@link #outcome} is completed once; all that changes is guarded by {@link #lock}.
 * The attempts are sent under the lock, so that {@link #revoke} has each before it or prevents it; everything else is
 * sent outside.
 */
final class RenewRound extends PendingRound {

    /** An attempt that was repeated at a node. */
    private record Attempt(int node, CompletionStage<AcquireResult> answer) {}

    private final RenewCommand command;
    private final @Nullable RenewResult[] answers;
    private final CompletableFuture<RenewResult> outcome = new CompletableFuture<>();

    private int unanswered;
    private @Nullable RenewResult decided;

    RenewRound(List<QuorumMember> nodes, RenewCommand command, PendingRounds underWay) {
        super(nodes, command.key(), command.token(), underWay);
        this.command = command;
        this.answers = new RenewResult[nodes.size()];
        this.unanswered = nodes.size();
    }

    /** Asks every node for all renewals at once; each renewal is decided by itself. */
    static List<CompletionStage<RenewResult>> hold(
            List<QuorumMember> nodes, List<RenewCommand> commands, PendingRounds underWay) {
        List<RenewRound> rounds = commands.stream()
                .map(command -> new RenewRound(nodes, command, underWay))
                .toList();
        rounds.forEach(PendingRound::begin);
        List<List<CompletionStage<RenewResult>>> answers =
                nodes.stream().map(node -> node.renew(commands)).toList();
        for (int i = 0; i < rounds.size(); i++) {
            for (int node = 0; node < nodes.size(); node++) {
                rounds.get(i).await(node, answers.get(node).get(i));
            }
        }
        return rounds.stream()
                .<CompletionStage<RenewResult>>map(round -> round.outcome)
                .toList();
    }

    private void await(int node, CompletionStage<RenewResult> answer) {
        answer.thenAccept(result -> answered(node, result));
    }

    private void answered(int node, RenewResult answer) {
        RenewResult decision;
        boolean isLeft;
        boolean isLost;
        List<Attempt> attempts = List.of();
        lock.lock();
        try {
            unanswered--;
            answers[node] = answer;
            isLeft = isLeft(node, answer);
            boolean open = decided == null;
            decided = open ? decision().orElse(null) : decided;
            decision = decided;
            isLost = open && decision instanceof NotHeld && !lateGrants.isRevoked();
            if (decision instanceof Renewed && !lateGrants.isRevoked()) {
                attempts = spread(open ? allNodes() : IntStream.of(node));
            }
        } finally {
            lock.unlock();
        }
        attempts.forEach(attempt -> attempt.answer().thenAccept(result -> attempted(attempt.node(), result)));
        if (decision != null) {
            outcome.complete(decision);
        }
        if (isLeft) {
            free(node);
        }
        if (isLost) {
            lose();
        }
        removeIfSettled();
    }

    private boolean isLeft(int node, RenewResult answer) {
        return answer instanceof Unknown
                ? lateGrants.isLeftBySilence(node)
                : !(answer instanceof NotHeld) && lateGrants.isLeftByGrant(node);
    }

    /**
     * What a minority still has is in the way of all other owners. No release follows that would free it: given up
     * first, then stopped.
     */
    private void lose() {
        giveUpAll();
        underWay.of(command.token()).forEach(PendingRound::giveUpAll);
        underWay.revoke(command.token()).forEach(PendingRound::giveUpAll);
    }

    /** To those of the nodes that have said that they have not the lock. */
    private List<Attempt> spread(IntStream among) {
        List<Attempt> attempts = among.filter(node -> answers[node] instanceof NotHeld)
                .mapToObj(this::attempt)
                .toList();
        unanswered += attempts.size();
        return attempts;
    }

    private Attempt attempt(int node) {
        AcquireCommand again = new AcquireCommand(
                command.key(), command.token(), command.lease(), command.fencingToken() - 1, 1, Optional.empty());
        return new Attempt(node, nodes.get(node).acquire(again));
    }

    private void attempted(int node, AcquireResult result) {
        boolean isLeft;
        lock.lock();
        try {
            unanswered--;
            isLeft = isLeft(node, result);
        } finally {
            lock.unlock();
        }
        if (isLeft) {
            free(node);
        }
        removeIfSettled();
    }

    @Override
    boolean isSettled() {
        return unanswered == 0;
    }

    private Optional<RenewResult> decision() {
        long renewed = of(Renewed.class).count();
        if (renewed >= quorum.needed()) {
            return Optional.of(lateGrants.isRevoked() ? givenUp() : new Renewed());
        }
        if (of(NotHeld.class).count() >= quorum.blocking()) {
            return Optional.of(new NotHeld());
        }
        if (of(RenewResult.class).count() < nodes.size()) {
            return Optional.empty();
        }
        List<Duration> deferred =
                of(Deferred.class).map(Deferred::retryAfter).sorted().toList();
        int lacking = quorum.needed() - (int) renewed;
        return Optional.of(
                deferred.size() >= lacking && !lateGrants.isRevoked()
                        ? new Deferred(deferred.get(lacking - 1))
                        : unknown((int) renewed));
    }

    private RenewResult givenUp() {
        String reason = "Lock '" + command.key() + "' was given up during its renewal";
        return new Unknown(reason, new IllegalStateException("given up"));
    }

    private RenewResult unknown(int renewed) {
        Optional<Unknown> failure = of(Unknown.class).findFirst();
        String reason = "Only " + renewed + " of " + nodes.size() + " nodes renewed lock '" + command.key() + "', and "
                + quorum.needed() + " are needed"
                + failure.map(unknown -> "; one of the others: " + unknown.reason())
                        .orElse("");
        return new Unknown(
                reason, failure.map(Unknown::cause).orElseGet(() -> new IllegalStateException("no quorum renewed")));
    }

    private <R extends RenewResult> Stream<R> of(Class<R> kind) {
        return Arrays.stream(answers).filter(kind::isInstance).map(kind::cast);
    }
}
