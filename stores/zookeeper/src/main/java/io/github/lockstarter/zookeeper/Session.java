package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.CrashDetection;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.apache.curator.framework.CuratorFramework;
import org.apache.zookeeper.KeeperException.Code;
import org.apache.zookeeper.Op;
import org.apache.zookeeper.ZooKeeper;
import org.jspecify.annotations.Nullable;

/**
 * The session of this instance, with which its locks end, and the proof that it continues.
 *
 * <p>The proof is a transaction without effect that a quorum must acknowledge: the leader refuses it if the session is
 * over, and neither a server without the leader nor a deposed leader can answer it. A read does not suffice, because a
 * server answers it until it notices that it is cut off; nor does {@code sync}, because a leader answers it until it
 * notices that it was deposed. {@link LeaderContact} decides for how long a proof is valid.
 *
 * <p>Each {@link ZooKeeper} object has one session; Curator closes the object when the session is over, and then makes
 * the next one. So the number comes from that object, not from the client's state, which its listeners receive later;
 * and a session began after the previous object was last seen alive. Thread-safe.
 */
final class Session implements CrashDetection {

    /** No session. */
    static final long NONE = 0;

    /** A quorum keeps all that it has acknowledged. */
    private static final String ONE_HISTORY = "";

    private static final int CERTAIN_PART = 2;

    private final CuratorFramework client;
    private final ZooKeeperLockSettings settings;
    private final ScheduledExecutorService timer;
    private final LeaderContact leader = new LeaderContact();

    /** According to the last proof. */
    private volatile boolean withoutRoot;

    private final AtomicReference<SeenClient> seen;

    /** The last connected object, or none yet; Curator made the next one, if any, after {@code aliveAt}. */
    private record SeenClient(@Nullable ZooKeeper object, long aliveAt) {

        SeenClient next(@Nullable ZooKeeper connected, long now) {
            boolean replaced = connected != null && connected != object;
            return replaced || (object != null && object.getState().isAlive())
                    ? new SeenClient(replaced ? connected : object, now)
                    : this;
        }
    }

    /**
     * Sends nothing yet.
     *
     * @param noSessionBefore monotonic nanoseconds before which the client certainly had no session
     */
    Session(
            CuratorFramework client,
            ZooKeeperLockSettings settings,
            ScheduledExecutorService timer,
            long noSessionBefore) {
        this.client = client;
        this.settings = settings;
        this.timer = timer;
        this.seen = new AtomicReference<>(new SeenClient(null, noSessionBefore));
    }

    /** The session of commands sent now; {@link #NONE} without a connection. */
    long current() {
        ZooKeeper connected = connected();
        return connected == null ? NONE : connected.getSessionId();
    }

    /** Why no lock can be kept although the session continues, according to the last proof. */
    Optional<String> problem() {
        return withoutRoot ? Optional.of(Failures.withoutChroot(client)) : Optional.empty();
    }

    /** The problem after a further command, which may be without an answer. */
    CompletableFuture<Optional<String>> askForRoot() {
        return send().thenApply(session -> problem());
    }

    /** As granted by the servers; before the first connection, as requested. */
    Duration timeout() {
        int granted = client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
        return granted > 0 ? Duration.ofMillis(granted) : settings.sessionTimeout();
    }

    /** {@inheritDoc} Only half of the session timeout, which the leader may count from before the proof was sent. */
    @Override
    public Optional<Duration> certainTime() {
        return Optional.of(timeout().dividedBy(CERTAIN_PART));
    }

    @Override
    public Duration commandTimeout() {
        return settings.commandTimeout();
    }

    /**
     * {@inheritDoc} A new session counts as a takeover, so that each lock is renewed before it is certain again. The
     * locks of others end with their sessions, so a beat does not ask about them.
     */
    @Override
    public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
        return prove().completeOnTimeout(
                        OptionalLong.empty(), settings.answerLimit().toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(session -> {
                    String takeover = Long.toHexString(session.orElseThrow(Failures::withoutProof));
                    return Optional.of(new Beat(ONE_HISTORY, takeover, "", Duration.ZERO, List.of()));
                });
    }

    /** The session, if it certainly continued after this call; otherwise empty. */
    CompletableFuture<OptionalLong> prove() {
        long sent = System.nanoTime();
        return send().thenCompose(session -> session.isEmpty()
                ? CompletableFuture.completedFuture(session)
                : certain(session.getAsLong(), sent, timeout()));
    }

    /**
     * Whether the session certainly continues for {@link #certainTime} after a command that a quorum has just
     * acknowledged. After a silence, such as a pause of this JVM, only a second answer shows that.
     *
     * @param session session of the command
     * @param sent when it was sent, or earlier
     * @return false if that is uncertain, or the second answer would exceed the command timeout
     */
    CompletableFuture<Boolean> coversGrant(long session, long sent) {
        Duration timeout = timeout();
        CompletableFuture<OptionalLong> certain = certain(session, sent, timeout);
        Duration needed = LeaderContact.delay(timeout).plusNanos(System.nanoTime() - sent);
        return !certain.isDone() && needed.compareTo(settings.commandTimeout()) > 0
                ? CompletableFuture.completedFuture(false)
                : certain.thenApply(OptionalLong::isPresent);
    }

    private CompletableFuture<OptionalLong> certain(long session, long sent, Duration timeout) {
        connected(); // the command may have been the first of a new session
        boolean recent = leader.isRecent(session, sent, timeout);
        leader.answered(session, sent, System.nanoTime(), timeout);
        return recent ? CompletableFuture.completedFuture(OptionalLong.of(session)) : askAgain(session, timeout);
    }

    private CompletableFuture<OptionalLong> askAgain(long session, Duration timeout) {
        CompletableFuture<OptionalLong> answer = new CompletableFuture<>();
        Runnable again = () -> {
            long sent = System.nanoTime();
            send().thenAccept(later -> {
                boolean goesOn = later.equals(OptionalLong.of(session));
                if (goesOn) {
                    leader.answered(session, sent, System.nanoTime(), timeout);
                }
                answer.complete(goesOn ? later : OptionalLong.empty());
            });
        };
        try {
            timer.schedule(again, LeaderContact.delay(timeout).toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            answer.complete(OptionalLong.empty()); // closed
        }
        return answer;
    }

    private CompletableFuture<OptionalLong> send() {
        ZooKeeper connected = connected();
        if (connected == null) {
            ZooKeeper last = Objects.requireNonNull(seen.get()).object;
            if (last != null) {
                send(last); // its failure shows when the connection broke
            }
            return CompletableFuture.completedFuture(OptionalLong.empty());
        }
        return send(connected);
    }

    private CompletableFuture<OptionalLong> send(ZooKeeper over) {
        CompletableFuture<OptionalLong> answer = new CompletableFuture<>();
        long sent = System.nanoTime();
        try {
            over.multi(
                    List.of(Op.check("/", -1)),
                    (code, path, context, results) -> answer.complete(answered(over, sent, Code.get(code))),
                    null);
        } catch (RuntimeException e) {
            answer.complete(OptionalLong.empty()); // closed
        }
        return answer;
    }

    private OptionalLong answered(ZooKeeper over, long sent, @Nullable Code code) {
        if (code == Code.CONNECTIONLOSS) {
            leader.broken(over.getSessionId(), sent, System.nanoTime());
        }
        if (isProof(code)) {
            withoutRoot = code == Code.NONODE;
        }
        return isProof(code) ? OptionalLong.of(over.getSessionId()) : OptionalLong.empty();
    }

    /**
     * Two refusals come from the leader and a quorum, too: the chroot does not exist, or cannot be read. One server
     * alone may give any other, such as a server that is cut off and serves reads, or is overloaded.
     */
    static boolean isProof(@Nullable Code code) {
        return code == Code.OK || code == Code.NONODE || code == Code.NOAUTH;
    }

    private @Nullable ZooKeeper connected() {
        long now = System.nanoTime();
        ZooKeeper connected = connectedObject();
        SeenClient known = Objects.requireNonNull(seen.getAndUpdate(before -> before.next(connected, now)));
        if (connected != null && connected != known.object) {
            leader.began(connected.getSessionId(), known.aliveAt);
        }
        return connected;
    }

    private @Nullable ZooKeeper connectedObject() {
        try {
            // Curator may replace the object after its own check.
            ZooKeeper object = client.getZookeeperClient().isConnected()
                    ? client.getZookeeperClient().getZooKeeper()
                    : null;
            return object != null && object.getState().isConnected() ? object : null;
        } catch (Exception e) {
            return null; // closed or disconnected
        }
    }
}
