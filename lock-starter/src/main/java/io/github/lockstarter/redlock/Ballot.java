package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Unknown;
import io.github.lockstarter.spi.Vote;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at all nodes: a round of votes, and where the fencing tokens of the quorum differ, a round that raises them.
 *
 * <p><b>Late answers.</b> A ballot that is won stays under way until each node has answered each vote and each raise. What
 * is answered once the token is given up may have been executed behind the release, and is freed on its node. Nothing of a
 * token that is not given up is.
 *
 * <p>Called by the nodes' threads. {@link #phase} goes {@code VOTING → (RAISING →) GRANTED} or {@code → REFUSED}, never
 * back; it and all that changes is guarded by this. What may give the token the lock, a raise, is sent under the lock, so
 * that {@link #revoke} comes either after it or prevents it. Answers are looked at, and the outcome is completed, outside.
 */
final class Ballot implements Revocable {

    private enum Phase {
        VOTING,
        RAISING,
        GRANTED,
        REFUSED
    }

    /** An attempt that was repeated at a node. */
    private record Raise(int node, CompletionStage<AcquireResult> answer) {}

    /** What follows, outside the lock: answers to look at, and something to do. */
    private record Next(List<Raise> raises, Runnable work) {

        static final Next NOTHING = new Next(List.of(), () -> {});

        static Next of(Runnable work) {
            return new Next(List.of(), work);
        }
    }

    private final List<Node> nodes;
    private final AcquireCommand command;
    private final Waits waits;
    private final UnderWay underWay;
    private final Quorum quorum;
    private final Votes votes;
    private final boolean[] mayHaveOurs;
    private final CompletableFuture<AcquireResult> outcome = new CompletableFuture<>();

    private Phase phase = Phase.VOTING;
    private boolean revoked;
    private long fencingToken;
    private int raised;
    private int raising;

    Ballot(List<Node> nodes, AcquireCommand command, Waits waits, UnderWay underWay) {
        this.nodes = nodes;
        this.command = command;
        this.waits = waits;
        this.underWay = underWay;
        this.quorum = new Quorum(nodes.size());
        this.votes = new Votes(quorum);
        this.mayHaveOurs = new boolean[nodes.size()];
    }

    /** Asks every node before it looks at any answer: what follows on a grant comes after the question, at each node. */
    CompletionStage<AcquireResult> hold() {
        underWay.add(command.token(), this);
        List<CompletionStage<Vote>> answers = new ArrayList<>(nodes.size());
        for (int i = 0; i < nodes.size(); i++) {
            answers.add(nodes.get(i).vote(waits.placed(i, command)));
        }
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            answers.get(i).thenAccept(vote -> voted(node, vote.result()));
        }
        return outcome;
    }

    private void voted(int node, AcquireResult vote) {
        if (vote instanceof Contended contended && command.waiting().isPresent()) {
            waits.placedAt(node, command.key(), contended.position());
        }
        Next next;
        synchronized (this) {
            mayHaveOurs[node] = mayGrant(vote);
            votes.cast(node, nodes.get(node).weighed(vote));
            next = switch (phase) {
                case VOTING -> count();
                case RAISING -> join(node);
                case GRANTED -> isQueuedWith(vote) ? Next.of(() -> leaveQueue(nodes.get(node))) : freeIfGivenUp(node);
                case REFUSED -> freeIfGivenUp(node);
            };
        }
        carryOut(next);
    }

    private void carryOut(Next next) {
        next.work().run();
        next.raises().forEach(raise -> raise.answer().thenAccept(answer -> raised(raise.node(), answer)));
        if (isSettled()) {
            underWay.remove(command.token(), this);
        }
    }

    /** Nothing that could still give the token the lock is without an answer. */
    private synchronized boolean isSettled() {
        return votes.missing() == 0 && raising == 0;
    }

    private Next count() {
        return votes.isGranted()
                ? agree()
                : votes.refusal(command.key()).map(this::refuse).orElse(Next.NOTHING);
    }

    /** A quorum has voted for us: the highest of its tokens is above all that were ever granted. */
    private Next agree() {
        if (revoked) {
            return refuse(givenUp());
        }
        phase = Phase.RAISING;
        fencingToken = votes.highestToken();
        raised = votes.grantedFrom(fencingToken).size();
        if (raised >= quorum.needed()) {
            return win();
        }
        List<Raise> raises = new ArrayList<>();
        votes.grantedBelow(fencingToken).forEach(node -> raises.add(raise(node)));
        return new Next(raises, () -> {});
    }

    /** A vote that comes while the tokens are being raised. */
    private Next join(int node) {
        if (votes.grantedFrom(fencingToken).contains(node)) {
            raised++;
        } else if (!revoked && votes.grantedBelow(fencingToken).contains(node)) {
            return new Next(List.of(raise(node)), () -> {});
        }
        return conclude();
    }

    private Raise raise(int node) {
        raising++;
        AcquireCommand higher = new AcquireCommand(
                command.key(),
                command.token(),
                command.lease(),
                fencingToken - 1,
                command.fencingTokens(),
                Optional.empty());
        return new Raise(node, nodes.get(node).acquire(higher));
    }

    private void raised(int node, AcquireResult answer) {
        Next next;
        synchronized (this) {
            raising--;
            mayHaveOurs[node] |= mayGrant(answer);
            if (phase == Phase.RAISING) {
                raised += answer instanceof Granted granted && granted.fencingToken() >= fencingToken ? 1 : 0;
                next = conclude();
            } else {
                next = mayGrant(answer) ? freeIfGivenUp(node) : Next.NOTHING;
            }
        }
        carryOut(next);
    }

    private static boolean mayGrant(AcquireResult answer) {
        return answer instanceof Granted || answer instanceof Unknown;
    }

    private Next conclude() {
        if (raised >= quorum.needed()) {
            return revoked ? refuse(givenUp()) : win();
        }
        return raised + raising + votes.missing() >= quorum.needed() ? Next.NOTHING : refuse(unraised());
    }

    private Next win() {
        phase = Phase.GRANTED;
        AcquireResult granted = new Granted(fencingToken, votes.othersWaiting());
        List<Node> queues = queues();
        return Next.of(() -> {
            waits.ended(command.key());
            queues.forEach(this::leaveQueue);
            outcome.complete(granted);
        });
    }

    private List<Node> queues() {
        List<Node> queues = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            if (isQueuedWith(votes.at(node))) {
                queues.add(nodes.get(node));
            }
        }
        return queues;
    }

    /** A node where somebody else has the lock has put this instance into its queue, though it waits no longer. */
    private boolean isQueuedWith(@Nullable AcquireResult vote) {
        return vote instanceof Contended && command.waiting().isPresent();
    }

    private void leaveQueue(Node node) {
        node.leaveQueue(command.key(), command.token().instanceId());
    }

    private Next refuse(AcquireResult refusal) {
        phase = Phase.REFUSED;
        int granted = votes.granted();
        return Next.of(() -> {
            for (int node = 0; node < nodes.size(); node++) {
                free(node);
            }
            if (refusal instanceof Contended && command.waiting().isPresent()) {
                waits.refused(command.key(), quorum.needed() - granted);
            }
            outcome.complete(refusal);
        });
    }

    /** A release that was sent before this answer came may have been executed before what it answers. */
    private Next freeIfGivenUp(int node) {
        return phase == Phase.REFUSED || revoked ? Next.of(() -> free(node)) : Next.NOTHING;
    }

    private void free(int node) {
        boolean ours;
        synchronized (this) {
            ours = mayHaveOurs[node];
            mayHaveOurs[node] = false;
        }
        if (ours) {
            nodes.get(node).free(command.key(), command.token());
        }
    }

    @Override
    public synchronized void revoke() {
        revoked = true;
    }

    private AcquireResult givenUp() {
        String reason = "The attempt to get lock '" + command.key() + "' was given up while it was under way";
        return new Unknown(reason, new IllegalStateException("given up"));
    }

    private AcquireResult unraised() {
        String reason =
                "Lock '" + command.key() + "' was granted by a quorum, but its fencing token could be written to "
                        + raised + " nodes only, and " + quorum.needed() + " are needed";
        return new Unknown(reason, new IllegalStateException("fencing token not written to a quorum"));
    }
}
