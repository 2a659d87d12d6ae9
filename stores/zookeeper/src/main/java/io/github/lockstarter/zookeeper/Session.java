package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.CrashDetection;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.curator.framework.CuratorFramework;
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
 * <p>It does not say how long the leader has heard nothing of the session: {@link LeaderContact} does.
 *
 * <p>A session belongs to one {@link ZooKeeper} object for ever, which a client replaces when its session is over. So
 * the object is asked for the number of its session, and never the client's state, of which listeners learn later.
 *
 * <p>Called by any thread.
 */
final class Session implements CrashDetection {

    /** There is none. */
    static final long NONE = 0;

    /** A quorum forgets nothing that it has acknowledged. */
    private static final String ONE_HISTORY = "";

    /** A part of the session time-out that is certain: see {@link #certainTime}. */
    private static final int CERTAIN_PART = 2;

    private final CuratorFramework client;
    private final ZooKeeperLockSettings settings;
    private final ScheduledExecutorService timer;
    private final LeaderContact leader;

    /** As the last proof found it. */
    private volatile boolean isWithoutRoot;

    /** The last one that was connected. */
    private volatile @Nullable ZooKeeper latest;

    /**
     * The session of a client.
     *
     * @param client the client
     * @param settings the session time-out that it asks for, and how long commands may take
     * @param timer asks later
     * @param noSessionBefore before which the client certainly had no session, in monotonic nanoseconds
     */
    Session(
            CuratorFramework client,
            ZooKeeperLockSettings settings,
            ScheduledExecutorService timer,
            long noSessionBefore) {
        this.client = client;
        this.settings = settings;
        this.timer = timer;
        this.leader = new LeaderContact(noSessionBefore);
    }

    /** The session on which commands are sent now; {@link #NONE} if the client is not connected. Returns at once. */
    long current() {
        ZooKeeper connected = connected();
        return connected == null ? NONE : connected.getSessionId();
    }

    /** Why no lock can be kept though the session goes on, as the last proof found it. */
    Optional<String> problem() {
        return isWithoutRoot ? Optional.of(Failures.withoutChroot(client)) : Optional.empty();
    }

    /** What the servers have granted; before the first connection, what the client asks for. */
    Duration timeout() {
        int granted = client.getZookeeperClient().getLastNegotiatedSessionTimeoutMs();
        return granted > 0 ? Duration.ofMillis(granted) : settings.sessionTimeout();
    }

    /**
     * For how long after a proof was sent the session certainly is not over: half of its time-out. The leader counts
     * from the last time that it has heard of the session, which may be older than the proof: {@link LeaderContact}.
     */
    @Override
    public Optional<Duration> certainTime() {
        return Optional.of(timeout().dividedBy(CERTAIN_PART));
    }

    @Override
    public Duration commandTimeout() {
        return settings.commandTimeout();
    }

    /**
     * {@inheritDoc} Asks at once, so that the servers hear of this instance in time even while an answer is late.
     * Another session is as a take-over: what it has of the locks, it says when they are renewed. The locks of others
     * end with their sessions, so no beat asks about them.
     */
    @Override
    public CompletionStage<Optional<Beat>> beat(List<String> waitedFor) {
        return prove().completeOnTimeout(
                        OptionalLong.empty(), settings.answerLimit().toMillis(), TimeUnit.MILLISECONDS)
                .thenApply(session -> {
                    String takeOver = Long.toHexString(session.orElseThrow(Failures::withoutProof));
                    return Optional.of(new Beat(ONE_HISTORY, takeOver, "", Duration.ZERO, List.of()));
                });
    }

    /** The number of a session that was not over at a moment after this call; empty if there is no such proof. */
    CompletableFuture<OptionalLong> prove() {
        long sent = System.nanoTime();
        return send().thenCompose(session -> session.isEmpty()
                ? CompletableFuture.completedFuture(session)
                : certain(session.getAsLong(), sent, timeout()));
    }

    /**
     * Whether the session goes on for {@link #certainTime} at least from the sending of a command on that a quorum has
     * just acknowledged. After a silence, such as a pause of this JVM, that is known after a second answer only.
     *
     * @param session that has sent the command
     * @param sent when it was sent, or before, in monotonic nanoseconds
     * @return false if it is perhaps over before, or if the second answer would come behind the command time-out
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
        boolean isRecent = leader.isRecent(session, sent, timeout);
        leader.answered(session, sent, System.nanoTime(), timeout);
        return isRecent ? CompletableFuture.completedFuture(OptionalLong.of(session)) : askAgain(session, timeout);
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
            ZooKeeper last = latest;
            if (last != null) {
                send(last); // of which the answer does not matter, but when the connection fails
            }
            return CompletableFuture.completedFuture(OptionalLong.empty());
        }
        latest = connected;
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
            isWithoutRoot = code == Code.NONODE;
        }
        return isProof(code) ? OptionalLong.of(over.getSessionId()) : OptionalLong.empty();
    }

    /**
     * Two refusals have passed the leader and a quorum as well: that the chroot does not exist, or cannot be read. Any
     * other may be the answer of one server alone, such as one that is cut off and serves reads, or is overloaded.
     */
    static boolean isProof(@Nullable Code code) {
        return code == Code.OK || code == Code.NONODE || code == Code.NOAUTH;
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
