package io.github.lockstarter.redlock;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode;
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
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * One lock on N independent stores: the owner has it while ⌊N/2⌋ + 1 of them, a quorum, grant it. Any ⌊(N−1)/2⌋ stores
 * may be down. Each command goes to all nodes at once and completes as soon as the result is certain. A missing answer
 * delays it at most for the node's command timeout, which must be far below the lease.
 * <p><b>Assumptions.</b> A node keeps its grants until their leases end by its own clock; after forgetting, it grants
 * nothing until all forgotten leases have ended (it <em>recovers</em>). The caller counts a lease from before it sent
 * the command, less an allowance for clock drift, and treats a later answer as no grant or renewal: the validity of
 * Redlock.
 * <p><b>Invariants.</b>
 * <ol>
 *   <li><em>Forward.</em> While a holder is valid, a quorum has its token. Any other quorum shares a node with it,
 *       which refuses. Grants of a quorum establish this; renewals by a quorum, all answered while it still holds,
 *       maintain it.
 *   <li><em>Backward.</em> A grant counts only from a node that knows its earlier grants: not from a recovering node,
 *       nor, for the longest lease, from a node whose clock was set ({@link NodeClock}).
 *   <li><em>Fencing.</em> Before a grant of fencing tokens F to F + n − 1 is returned, a quorum has stored F + n − 1 or
 *       more while the token had the lock there. F is the highest token in the first quorum of grants.
 *   <li><em>Late grants.</em> A token whose grant is not returned is freed on each node that granted it or did not
 *       answer, at once or when the node answers again. Once the release of a token has begun, no round extends the
 *       lock to further nodes, and a vote that arrives after the answer to the release is freed on its node ({@link
 *       Candidate}). Nothing that frees a token is sent before the token is given up: a winner leaves the queues of the
 *       refusing nodes by its instance id, not by its token.
 * </ol>
 * Why fencing tokens grow: the quorum of a later grant shares a node with the quorum that stored F + n − 1. On that
 * node the later token came after the earlier one had gone, so after the write; it was granted more than F + n − 1
 * there, and its F is the highest of its quorum. The write is a second round, an attempt of the same token with a floor
 * of F − 1. It is skipped if a quorum granted F itself.
 * <p>A renewal ({@link RenewRound}) also spreads the lock to nodes without it. A release is released if a quorum
 * released; kept if, in addition, enough nodes keep the lock for the rest of its minimum hold, each by its own clock,
 * that the others are no quorum; not held if so many no longer had it; else unknown.
 * <p><b>Known holes.</b> A node that forgets without recovering; a clock step before the node's first answer to this
 * JVM; a step that is undone between two answers; a step smaller than 5 ms, the round trip, or 500 ppm of the time
 * since the last answer (it shortens a lease by no more than that, which the drift allowance covers while the round
 * trip and 500 ppm of the silence stay below 1 % of the lease: 10 minutes of silence at 30 s). A node that lost its
 * fencing counter counts from its clock: where two quorums share only that node, tokens grow if the nodes' clocks
 * differ by less than the recovery time. A command that a node executes after an answered release, with its own answer
 * given up, keeps that node's vote from other owners until its lease ends.
 * <p>A released token must not be used again: freeing late grants would free the new hold. Thread-safe; stages complete
 * on the nodes' threads.
 */
public final class RedlockBackend implements LockBackend {

    private static final StoreCapabilities CAPABILITIES =
            StoreCapabilities.ALL.withOneOwner().withoutTickets();

    private static final int LEAST_NODES = 3;

    private static final String NO_TAKEOVER =
            "A quorum does not take locks over: its servers do not agree on when an instance has crashed";

    private final Quorum quorum;
    private final String name;
    private final QuorumEvents events;
    private final List<QuorumMember> nodes;
    private final QueuePlaces places;
    private final ConcurrentMap<LockToken, Candidate> candidates = new ConcurrentHashMap<>();
    private final QuorumAdmin admin;
    private volatile Consumer<StoreEvent> receiver = event -> {};
    private volatile boolean closed;

    /**
     * Creates a backend on this machine's clock.
     *
     * @param stores nodes, always in the same order; closed by {@link #close}
     * @param longestLease longest lease of any lock of any client
     * @throws IllegalArgumentException for fewer than 3 nodes
     */
    public RedlockBackend(List<? extends QuorumNode> stores, Duration longestLease) {
        this(stores, longestLease, System::nanoTime);
    }

    /**
     * Creates a backend on the given clock.
     *
     * @param stores nodes, always in the same order; closed by {@link #close}
     * @param longestLease longest lease of any lock of any client
     * @param monotonicNanos as {@link System#nanoTime()}
     * @throws IllegalArgumentException for fewer than 3 nodes
     */
    public RedlockBackend(List<? extends QuorumNode> stores, Duration longestLease, LongSupplier monotonicNanos) {
        if (stores.size() < LEAST_NODES) {
            throw new IllegalArgumentException("A quorum needs " + LEAST_NODES + " nodes or more, so that one may fail;"
                    + " there are " + stores.size());
        }
        this.quorum = new Quorum(stores.size());
        this.name = "a quorum of " + stores.stream().map(QuorumNode::toString).collect(Collectors.joining(", "));
        this.events = new QuorumEvents(quorum, name, monotonicNanos, event -> receiver.accept(event));
        this.nodes = IntStream.range(0, stores.size())
                .mapToObj(node -> new QuorumMember(
                        stores.get(node), monotonicNanos, longestLease, event -> events.report(node, event)))
                .toList();
        this.admin = new QuorumAdmin(quorum, nodes);
        this.places = new QueuePlaces(stores.size());
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (closed) {
            IllegalStateException cause = new IllegalStateException("closed");
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected("The lock backend over " + nodes.size() + " nodes is closed", cause));
        }
        return new AcquireRound(nodes, command, places, candidates).hold();
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return RenewRound.hold(nodes, commands, candidates);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        Candidate candidate = Candidate.of(nodes, candidates, command.key(), command.token(), 1);
        candidate.releases();
        if (command.requeue().isPresent()) {
            places.requeue(command.key());
        } else if (command.endsWait()) {
            places.end(command.key());
        }
        CompletionStage<ReleaseResult> outcome = NodeAnswers.decided(
                quorum,
                node -> nodes.get(node)
                        .releaseAtNode(command)
                        .whenComplete((answer, never) -> candidate.released(node)),
                answers -> released(command, answers));
        candidate.end();
        return outcome;
    }

    /** Stays open while a node that has not answered may still decide whether the lock is kept. */
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

    /** {@inheritDoc} With several permits, the nodes would grant different slots to one attempt. */
    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return admin.inspect(key);
    }

    /** {@inheritDoc} Revoked only if a quorum revoked it. */
    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return admin.revoke(key, fencingToken);
    }

    @Override
    public CompletionStage<StoreState> state() {
        return admin.state();
    }

    @Override
    public CrashTakeover crashTakeover() {
        return CrashTakeover.off(NO_TAKEOVER);
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        receiver = listener::onStoreEvent;
        for (int node = 0; node < nodes.size(); node++) {
            QuorumMember member = nodes.get(node);
            member.listen(instanceId, new NodeListener(node, member, places, listener, events));
        }
    }

    private record NodeListener(
            int node, QuorumMember member, QueuePlaces places, SignalListener listener, QuorumEvents events)
            implements SignalListener {

        @Override
        public void onSignal(String key, int slot) {
            if (places.signal(key)) {
                listener.onSignal(key, slot);
            }
        }

        @Override
        public void onWanted(String key) {
            if (places.want(key)) {
                listener.onWanted(key);
            }
        }

        /** Not deduplicated: all nodes name the same lock token. */
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

    /** {@inheritDoc} Always false: {@link QuorumEvents} reports when too few nodes answer. */
    @Override
    public boolean isSilence(Throwable failure) {
        return false;
    }

    /** {@return the names of the nodes} */
    @Override
    public String toString() {
        return name;
    }

    int underWay() {
        return candidates.size();
    }

    /** Refuses further attempts and closes the nodes. Idempotent. */
    @Override
    public void close() {
        closed = true;
        nodes.forEach(QuorumMember::close);
    }
}
