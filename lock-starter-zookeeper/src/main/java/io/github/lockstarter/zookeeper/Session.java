package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.CrashDetection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReferenceFieldUpdater;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The session of this instance, with which its locks end, and the proof that it goes on.
 *
 * <p>The proof is a transaction that changes nothing, and that a quorum has to acknowledge: the leader refuses it if
 * the session is over, and a server that is cut off from the leader, or a leader that was deposed, cannot answer it. A
 * read would be answered by any server that has not noticed yet that it is cut off, and {@code sync} by a leader that
 * has not noticed that it was deposed.
 *
 * <p>A session belongs to one {@link ZooKeeper} object for ever, which a client replaces when its session is over. So
 * the object is asked for the number of its session, and never the client's state, of which listeners learn later.
 *
 * <p>Called by any thread. {@link #proofs} is replaced as a whole: at most one question of renewals is on its way, and
 * one waits.
 */
final class Session implements CrashDetection {

    /** There is none. */
    static final long NONE = 0;

    /** A part of the session time-out that is certain: see {@link #certainTime}. */
    private static final int CERTAIN_PART = 2;

    /** The proof that is under way, and the one that follows it, if anybody asks for that. */
    private record Proofs(
            @Nullable CompletableFuture<OptionalLong> running,
            @Nullable CompletableFuture<OptionalLong> waiting) {}

    private static final AtomicReferenceFieldUpdater<Session, Proofs> PROOFS =
            AtomicReferenceFieldUpdater.newUpdater(Session.class, Proofs.class, "proofs");

    private static final Proofs IDLE = new Proofs(null, null);

    private final CuratorFramework client;
    private final Duration asked;

    /** Changed by its updater. */
    private volatile Proofs proofs = IDLE;

    Session(CuratorFramework client, Duration asked) {
        this.client = client;
        this.asked = asked;
    }

    /** The session on which commands are sent now; {@link #NONE} if the client is not connected. Returns at once. */
    long current() {
        ZooKeeper connected = connected();
        return connected == null ? NONE : connected.getSessionId();
    }

    /** What the servers have granted; before the first connection, what the client asks for. */
    Duration timeout() {
        int granted = client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
        return granted > 0 ? Duration.ofMillis(granted) : asked;
    }

    /**
     * For how long after a proof was sent the session certainly is not over: half of its time-out. The leader counts
     * from the last time that it has heard of the session, which may be older than the proof: a server tells it of its
     * clients every half tick, which is a quarter of the shortest time-out, and proofs are sent every eighth of the
     * time-out. The last eighth is for clocks that run at different speeds.
     */
    @Override
    public Optional<Duration> certainTime() {
        return Optional.of(timeout().dividedBy(CERTAIN_PART));
    }

    /** Asks at once, so that the servers hear of this instance in time also while an answer is late. */
    @Override
    public CompletionStage<OptionalLong> beat() {
        return ask().thenApply(session ->
                session.isEmpty() ? session : OptionalLong.of(Math.max(1, session.getAsLong() & Long.MAX_VALUE)));
    }

    /**
     * The number of a session that was not over at a moment after this call; empty if there is no such proof. All that
     * call while one question is on its way share the next one.
     */
    CompletableFuture<OptionalLong> prove() {
        while (true) {
            Proofs known = proofs;
            CompletableFuture<OptionalLong> shared = known.waiting;
            if (shared != null) {
                return shared;
            }
            CompletableFuture<OptionalLong> mine = new CompletableFuture<>();
            Proofs next = known.running == null ? new Proofs(mine, null) : new Proofs(known.running, mine);
            if (PROOFS.compareAndSet(this, known, next)) {
                if (known.running == null) {
                    begin(mine);
                }
                return mine;
            }
        }
    }

    private void begin(CompletableFuture<OptionalLong> proof) {
        ask().thenAccept(session -> ended(proof, session));
    }

    /** The next question is sent before those are told that asked for this one. */
    private void ended(CompletableFuture<OptionalLong> proof, OptionalLong session) {
        Proofs known = proofs;
        while (!PROOFS.compareAndSet(this, known, new Proofs(known.waiting, null))) {
            known = proofs;
        }
        CompletableFuture<OptionalLong> next = known.waiting;
        if (next != null) {
            begin(next);
        }
        proof.complete(session);
    }

    private CompletableFuture<OptionalLong> ask() {
        CompletableFuture<OptionalLong> answer = new CompletableFuture<>();
        ZooKeeper connected = connected();
        if (connected == null) {
            answer.complete(OptionalLong.empty());
            return answer;
        }
        try {
            connected.multi(
                    List.of(Op.check("/", -1)),
                    (code, path, context, results) -> answer.complete(answered(connected, code)),
                    null);
        } catch (RuntimeException e) {
            answer.complete(OptionalLong.empty());
        }
        return answer;
    }

    /** Also a refusal has passed the leader and a quorum: such as that the chroot does not exist yet. */
    private static OptionalLong answered(ZooKeeper asked, int code) {
        boolean isProof = Code.get(code) == Code.OK || Failures.isRefusal(KeeperException.create(Code.get(code)));
        return isProof ? OptionalLong.of(asked.getSessionId()) : OptionalLong.empty();
    }

    private @Nullable ZooKeeper connected() {
        try {
            return client.getZookeeperClient().isConnected()
                    ? client.getZookeeperClient().getZooKeeper()
                    : null;
        } catch (Exception e) {
            return null; // closed, or not connected any more
        }
    }
}
