package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.LockToken;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at all nodes. Once a quorum has granted the lock, the nodes with lower fencing tokens are asked to raise
 * theirs; their second answers replace their first votes.
 * <p>Called on the nodes' threads; the candidate's monitor guards all fields that change after sending.
 */
final class AcquireRound {

    private final List<QuorumMember> nodes;
    private final AcquireCommand command;
    private final QueuePlaces places;
    private final Candidate candidate;
    private final Votes votes;
    private final CompletableFuture<AcquireResult> outcome = new CompletableFuture<>();

    /** Highest fencing token of the first quorum of grants; 0 before there is one. */
    private long fencingToken;

    private boolean firstOfWait;
    private long othersWaiting;
    private @Nullable AcquireResult decided;

    AcquireRound(
            List<QuorumMember> nodes,
            AcquireCommand command,
            QueuePlaces places,
            ConcurrentMap<LockToken, Candidate> candidates) {
        this.nodes = nodes;
        this.command = command;
        this.places = places;
        this.candidate = Candidate.of(nodes, candidates, command.key(), command.token(), nodes.size());
        this.votes = new Votes(new Quorum(nodes.size()));
    }

    CompletionStage<AcquireResult> hold() {
        firstOfWait = places.begin(command);
        NodeAnswers.ask(votes.quorum, node -> nodes.get(node).vote(places.placed(node, command)), this::voted);
        return outcome;
    }

    private void voted(int node, AcquireResult vote) {
        candidate.answered(node, vote, consequences -> {
            if (vote instanceof Granted granted) {
                othersWaiting = Math.max(othersWaiting, granted.othersWaiting());
            }
            votes.set(node, nodes.get(node).weighed(vote));
            if (vote instanceof Contended contended && command.waiting().isPresent()) {
                consequences.add(
                        decided instanceof Granted
                                ? leave(node)
                                : () -> places.place(node, command.key(), contended.position()));
            }
            decide(consequences);
        });
    }

    private Runnable leave(int node) {
        return () -> nodes.get(node).leaveQueue(command.key(), command.token().instanceId());
    }

    private void decide(List<Runnable> consequences) {
        if (decided != null) {
            return;
        }
        if (fencingToken == 0 && votes.isGranted()) {
            fencingToken = votes.fencingToken();
        }
        if (fencingToken > 0 && votes.isGrantedFrom(fencingToken)) {
            win(consequences);
            return;
        }
        for (int node : votes.grantedBelow(fencingToken)) {
            votes.set(node, null);
            consequences.add(() -> raise(node));
        }
        votes.refusal(command.key()).ifPresent(refusal -> refuse(refusal, consequences));
    }

    private void raise(int node) {
        candidate
                .attempt(node, command.lease(), fencingToken - 1, command.fencingTokens())
                .thenAccept(answer -> candidate.answered(node, answer, consequences -> {
                    votes.set(node, answer);
                    decide(consequences);
                }));
    }

    private void win(List<Runnable> consequences) {
        AcquireResult granted = new Granted(fencingToken, othersWaiting);
        decided = granted;
        consequences.add(() -> places.end(command.key()));
        if (command.waiting().isPresent()) {
            votes.contended().mapToObj(this::leave).forEach(consequences::add);
        }
        consequences.add(() -> outcome.complete(granted));
    }

    private void refuse(AcquireResult refusal, List<Runnable> consequences) {
        decided = refusal;
        candidate.giveUp(consequences);
        if (firstOfWait && !(refusal instanceof Contended)) { // no node has queued this instance
            consequences.add(() -> places.end(command.key()));
        }
        consequences.add(() -> outcome.complete(refusal));
    }
}
