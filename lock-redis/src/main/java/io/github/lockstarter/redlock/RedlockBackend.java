package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One lock on N independent stores: the owner that has it on a quorum, ⌊N/2⌋ + 1 of them, has it. Any ⌊(N−1)/2⌋ stores
 * may be down. No thread and no timer of its own: every command goes to all nodes at once, and an answer is decided as
 * soon as it is certain. A node without an answer is waited for only where its vote decides, and no longer than its own
 * command timeout, which has to be far below the lease.
 *
 * <p><b>What is relied on.</b> A node keeps what it granted until the lease ends by its own clock, or, having
 * forgotten, grants nothing until none of what it forgot is alive (it <em>recovers</em>). The caller counts a lease
 * from before it sent the command, less an allowance for clocks that run at different speeds, and takes a grant or
 * renewal that comes later than that for none. That is the validity of Redlock; nothing of it is left to do here, since
 * each node's lease begins after the command was sent.
 *
 * <p><b>Invariants.</b>
 * <ol>
 *   <li><em>Forward.</em> As long as a holder is valid, a quorum has its token. Any other quorum shares a node with
 *       that one, which refuses. Grants of a quorum establish it; renewals by a quorum, all answered while it still
 *       holds, carry it on.
 *   <li><em>Backward.</em> A grant counts only from a node that knows what it granted before: not from one that
 *       recovers, and not, for the longest lease, from one whose clock was seen to be set ({@link NodeClock}). Such a
 *       node keeps the token that it granted, which helps the first invariant and never the second.
 *   <li><em>Fencing.</em> Before a grant of the fencing tokens F to F + n − 1 is told, a quorum has F + n − 1 or more
 *       as its last one, written while the token had the lock there. F is the highest that a quorum granted.
 *   <li><em>Late grants.</em> A token that is not told to be granted is freed on each node that granted it or did not
 *       answer, at once, or when the node answers again. Once the release of a token has begun, no round decides to
 *       give the lock to a further node. A vote that comes behind the answer to the release is freed on its node,
 *       which may have executed it behind the release ({@link Candidate}). Nothing that frees a token is sent, now or
 *       later, before it is given up: a winner leaves the queues of the nodes that refused it under the name of its
 *       instance, not of its token.
 * </ol>
 * Why fencing tokens grow: the quorum of a later grant shares a node with the quorum that F + n − 1 was written to. On
 * that node the later token came after the earlier one had gone, so after the writing; hence it was granted more than F
 * + n − 1 there, and its F is the highest of its quorum. The writing is a second round, an attempt of the same token
 * with a floor of F − 1, and is left out where a quorum granted F itself: then what it would establish is already so.
 *
 * <p><b>Acquire</b> comes to one answer as told at {@link Votes}. <b>Renew</b>: see {@link RenewRound}, which also
 * gives the lock to nodes that have it not. <b>Release</b>: released if a quorum released, and kept if so many of it
 * keep the lock for the rest of its minimum time, each by its own clock, that the others are no quorum; not held if so
 * many had it no longer that the others are no quorum, else unknown. <b>Signals</b>: see {@link
 * SignalQuorum}.
 *
 * <p><b>Known holes.</b> A node that forgets and does not recover; a clock that is set before this JVM has heard of the
 * node for the first time, since one that has just started has nothing to compare with; a clock that is set forward and
 * back between two answers; a step smaller than 5 ms, the round trip, or 500 ppm of the time since the last answer (it
 * takes no more than that from a lease, and the allowance for the clocks covers it if the round trip and 500 ppm of the
 * silence stay below 1 % of the lease: 10 minutes of silence at 30 s). A node that has lost its fencing counter counts
 * from its clock: where it is the only one that two quorums share, tokens grow if the nodes' clocks differ by less than
 * the time for which it recovered. What a node executes behind a release that it has answered, and after its answer was
 * given up, stays there until the lease ends: it costs others that node's vote.
 *
 * <p>A token that was released must not be used again: what is freed behind the answer would be the new
 * hold's.
 *
 * <p>Thread-safe; stages complete on the threads of the nodes.
 */
public final class RedlockBackend implements LockBackend {

    private static final StoreCapabilities CAPABILITIES = new StoreCapabilities(
            StoreCapabilities.ALL.signals(),
            StoreCapabilities.ALL.leases(),
            StoreCapabilities.ALL.shortestLease(),
            StoreCapabilities.ALL.fencingTokens(),
            StoreCapabilities.ALL.minimumTimes(),
            false);

    private static final int LEAST_NODES = 3;

    private static final String NO_TAKE_OVER =
            "A quorum does not take locks over: its servers do not agree on when an instance has crashed";

    private final Quorum quorum;
    private final LongSupplier monotonicNanos;
    private final List<QuorumMember> nodes;
    private final SignalQuorum waits;
    private final ConcurrentMap<LockToken, Candidate> candidates = new ConcurrentHashMap<>();
    private final QuorumAdmin admin;
    private volatile boolean closed;

    /**
     * Creates a backend on the clock of this machine.
     *
     * @param stores the nodes, always in the same order; closed by {@link #close}
     * @param settings what the nodes have in common
     * @throws IllegalArgumentException when there are fewer than 3 nodes
     */
    public RedlockBackend(List<? extends QuorumNode> stores, RedlockSettings settings) {
        this(stores, settings, System::nanoTime);
    }

    /**
     * Creates a backend on the given clock.
     *
     * @param stores the nodes; closed by {@link #close}
     * @param settings what the nodes have in common
     * @param monotonicNanos as {@link System#nanoTime()}
     * @throws IllegalArgumentException when there are fewer than 3 nodes
     */
    public RedlockBackend(List<? extends QuorumNode> stores, RedlockSettings settings, LongSupplier monotonicNanos) {
        if (stores.size() < LEAST_NODES) {
            throw new IllegalArgumentException("A quorum needs " + LEAST_NODES + " nodes or more, so that one may fail;"
                    + " there are " + stores.size());
        }
        this.quorum = new Quorum(stores.size());
        this.monotonicNanos = monotonicNanos;
        this.nodes = stores.stream()
                .map(store -> new QuorumMember(store, monotonicNanos, settings.longestLease()))
                .toList();
        this.admin = new QuorumAdmin(quorum, nodes);
        this.waits = new SignalQuorum(stores.size(), settings, monotonicNanos);
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        if (closed) {
            IllegalStateException cause = new IllegalStateException("closed");
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected("The lock backend over " + nodes.size() + " nodes is closed", cause));
        }
        return new AcquireRound(nodes, command, waits, candidates).hold();
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        return RenewRound.hold(nodes, commands, candidates);
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        Candidate candidate = Candidate.of(nodes, candidates, command.key(), command.token(), 1);
        candidate.releases();
        if (command.requeue().isPresent()) {
            waits.requeued(command.key());
        } else if (command.endsWait()) {
            waits.ended(command.key());
        }
        CompletionStage<ReleaseResult> outcome = NodeAnswers.decided(
                quorum,
                node -> nodes.get(node).release(command).whenComplete((answer, never) -> candidate.released(node)),
                answers -> released(command, answers));
        candidate.end();
        return outcome;
    }

    /**
     * Kept is what so many nodes keep that the others are no quorum, for as long as that lasts; as long as a node that
     * has not answered may be one of them, that is open.
     */
    private Optional<ReleaseResult> released(ReleaseCommand command, NodeAnswers<ReleaseResult> answers) {
        List<Duration> kept = answers.of(ReleaseResult.Kept.class)
                .map(ReleaseResult.Kept::rest)
                .sorted(Comparator.reverseOrder())
                .toList();
        int released = answers.count(ReleaseResult.Released.class) + kept.size();
        if (released >= quorum.needed() && kept.size() >= quorum.blocking()) {
            return Optional.of(new ReleaseResult.Kept(kept.get(quorum.blocking() - 1), signalled(answers)));
        }
        if (released >= quorum.needed() && kept.size() + answers.missing() < quorum.blocking()) {
            return Optional.of(new ReleaseResult.Released(signalled(answers)));
        }
        int notHeld = answers.count(ReleaseResult.NotHeld.class);
        if (notHeld >= quorum.blocking()) {
            return Optional.of(new ReleaseResult.NotHeld());
        }
        if (answers.missing() > 0) {
            return Optional.empty();
        }
        String reason = "Lock '" + command.key() + "' was released on " + released + " of " + nodes.size()
                + " nodes, and " + notHeld + " no longer had it";
        return Optional.of(answers.unknown(reason, ReleaseResult.Unknown::new));
    }

    private static int signalled(NodeAnswers<ReleaseResult> answers) {
        return IntStream.concat(
                        answers.of(ReleaseResult.Released.class).mapToInt(ReleaseResult.Released::signalled),
                        answers.of(ReleaseResult.Kept.class).mapToInt(ReleaseResult.Kept::signalled))
                .max()
                .orElse(0);
    }

    /** {@inheritDoc} With several permits, the servers would grant different slots to one attempt. */
    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    /** {@inheritDoc} Asks all nodes, and waits for each. */
    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return admin.inspect(key);
    }

    /** {@inheritDoc} Revoked only if a quorum took it away; see {@link QuorumAdmin}. */
    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return admin.revoke(key, fencingToken);
    }

    /** {@inheritDoc} Asks all nodes, and waits for each. */
    @Override
    public CompletionStage<StoreState> state() {
        return admin.state();
    }

    @Override
    public CrashTakeOver crashTakeOver() {
        return CrashTakeOver.off(NO_TAKE_OVER);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        QuorumEvents events = new QuorumEvents(quorum, toString(), monotonicNanos, listener::onStoreEvent);
        for (int i = 0; i < nodes.size(); i++) {
            int node = i;
            QuorumMember member = nodes.get(node);
            member.listen(
                    instanceId,
                    new NodeListener(node, member, waits, listener, events),
                    event -> events.report(node, event));
        }
    }

    /** Passes on what is not a copy of what another node has told. */
    private record NodeListener(
            int node, QuorumMember member, SignalQuorum waits, SignalListener listener, QuorumEvents events)
            implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {
            if (waits.signalled(node, key)) {
                listener.onSignal(key, slot);
            }
        }

        @Override
        public void onWanted(String key) {
            if (waits.wanted(node, key)) {
                listener.onWanted(key);
            }
        }

        /** The first of them counts: all nodes name the same lock token. */
        @Override
        public void onRevoked(String key, String fingerprint) {
            listener.onRevoked(key, fingerprint);
        }

        @Override
        public void onMailboxRestored() {
            listener.onMailboxRestored();
        }

        @Override
        public void onStoreEvent(StoreEvent event) {
            member.answered(event.store());
            events.report(node, event);
        }
    }

    /** {@inheritDoc} Never: {@link QuorumEvents} reports that too few nodes answer. */
    @Override
    public boolean isSilence(Throwable failure) {
        return false;
    }

    /** Which nodes they are. */
    @Override
    public String toString() {
        return "a quorum of " + nodes.stream().map(QuorumMember::name).collect(Collectors.joining(", "));
    }

    /** How many tokens have something under way that may still have to be freed. */
    int underWay() {
        return candidates.size();
    }

    /** Refuses further grants, and closes the nodes. Idempotent. */
    @Override
    public void close() {
        closed = true;
        nodes.forEach(QuorumMember::close);
    }
}
