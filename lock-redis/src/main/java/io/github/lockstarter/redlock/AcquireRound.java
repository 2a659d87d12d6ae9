package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.AcquireResult.Contended;
import io.github.lockstarter.spi.AcquireResult.Granted;
import io.github.lockstarter.spi.AcquireResult.Unknown;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * One attempt at all nodes: a round of votes, followed by a round that raises the fencing tokens where those of the
 * quorum differ.
 *
 * <p>Called by the nodes' threads. {@link #phase} goes {@code VOTING → (RAISING →) GRANTED} or {@code → REFUSED}, never
 * back; it and all that changes is guarded by {@link #lock}. What may give the token the lock, a raise, is sent under
 * the lock, so that {@link #revoke} comes either after it or prevents it. Answers are looked at, and the outcome is
 * completed, outside.
 */
final class AcquireRound extends PendingRound {

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

        Next before(Runnable more) {
            return new Next(raises, () -> {
                work.run();
                more.run();
            });
        }
    }

    private final AcquireCommand command;
    private final SignalQuorum waits;
    private final Votes votes;
    private final CompletableFuture<AcquireResult> outcome = new CompletableFuture<>();

    private Phase phase = Phase.VOTING;
    private long fencingToken;
    private int raised;
    private int raising;

    AcquireRound(List<QuorumMember> nodes, AcquireCommand command, SignalQuorum waits, PendingRounds underWay) {
        super(nodes, command.key(), command.token(), underWay);
        this.command = command;
        this.waits = waits;
        this.votes = new Votes(quorum);
    }

    /**
     * Asks every node before it looks at any answer: what follows on a grant comes after the question, at each node.
     */
    CompletionStage<AcquireResult> hold() {
        begin();
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
        lock.lock();
        try {
            boolean isLeft = isLeft(node, vote);
            votes.cast(node, nodes.get(node).weighed(vote));
            next = switch (phase) {
                case VOTING -> count();
                case RAISING -> join(node);
                case GRANTED -> isQueuedWith(vote) ? Next.of(() -> leaveQueue(nodes.get(node))) : Next.NOTHING;
                case REFUSED -> Next.NOTHING;
            };
            next = isLeft ? next.before(() -> free(node)) : next;
        } finally {
            lock.unlock();
        }
        carryOut(next);
    }

    private void carryOut(Next next) {
        next.work().run();
        next.raises().forEach(raise -> raise.answer().thenAccept(answer -> raised(raise.node(), answer)));
        removeIfSettled();
    }

    @Override
    boolean isSettled() {
        return votes.missing() == 0 && raising == 0;
    }

    private Next count() {
        return votes.isGranted()
                ? agree()
                : votes.refusal(command.key()).map(this::refuse).orElse(Next.NOTHING);
    }

    /** A quorum has voted for us: the highest of its tokens is above all that were ever granted. */
    private Next agree() {
        if (lateGrants.isRevoked()) {
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
        } else if (!lateGrants.isRevoked() && votes.grantedBelow(fencingToken).contains(node)) {
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
        lock.lock();
        try {
            raising--;
            boolean isLeft = isLeft(node, answer);
            next = Next.NOTHING;
            if (phase == Phase.RAISING) {
                raised += answer instanceof Granted granted && granted.fencingToken() >= fencingToken ? 1 : 0;
                next = conclude();
            }
            next = isLeft ? next.before(() -> free(node)) : next;
        } finally {
            lock.unlock();
        }
        carryOut(next);
    }

    private Next conclude() {
        if (raised >= quorum.needed()) {
            return lateGrants.isRevoked() ? refuse(givenUp()) : win();
        }
        return raised + raising + votes.missing() >= quorum.needed() ? Next.NOTHING : refuse(unraised());
    }

    private Next win() {
        phase = Phase.GRANTED;
        AcquireResult granted = new Granted(fencingToken, votes.othersWaiting());
        List<QuorumMember> queues = queues();
        return Next.of(() -> {
            waits.ended(command.key());
            queues.forEach(this::leaveQueue);
            outcome.complete(granted);
        });
    }

    private List<QuorumMember> queues() {
        List<QuorumMember> queues = new ArrayList<>();
        for (int node = 0; node < nodes.size(); node++) {
            if (isQueuedWith(votes.at(node))) {
                queues.add(nodes.get(node));
            }
        }
        return queues;
    }

    /** A node where another owner has the lock has put this instance into its queue, though it waits no longer. */
    private boolean isQueuedWith(@Nullable AcquireResult vote) {
        return vote instanceof Contended && command.waiting().isPresent();
    }

    private void leaveQueue(QuorumMember node) {
        node.leaveQueue(command.key(), command.token().instanceId());
    }

    private Next refuse(AcquireResult refusal) {
        phase = Phase.REFUSED;
        int granted = votes.granted();
        // What is being released is freed behind that.
        List<Integer> left = lateGrants.isRevoked()
                ? List.of()
                : allNodes().filter(lateGrants::giveUp).boxed().toList();
        return Next.of(() -> {
            left.forEach(this::free);
            if (refusal instanceof Contended && command.waiting().isPresent()) {
                waits.refused(command.key(), quorum.needed() - granted);
            }
            outcome.complete(refusal);
        });
    }

    private AcquireResult givenUp() {
        String reason = "The attempt to acquire lock '" + command.key() + "' was given up before it ended";
        return new Unknown(reason, new IllegalStateException("given up"));
    }

    private AcquireResult unraised() {
        String reason =
                "Lock '" + command.key() + "' was granted by a quorum, but its fencing token was written to only "
                        + raised + " nodes, and " + quorum.needed() + " are needed";
        return new Unknown(reason, new IllegalStateException("fencing token not written to a quorum"));
    }
}
