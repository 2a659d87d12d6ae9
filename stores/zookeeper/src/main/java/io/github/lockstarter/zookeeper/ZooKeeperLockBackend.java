package io.github.lockstarter.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BackendGuard;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockThreads;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.StoreCapabilities;
import io.github.lockstarter.spi.StoredKeys;
import io.github.lockstarter.zookeeper.OwnNode.State;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.imps.CuratorFrameworkState;
import org.jspecify.annotations.Nullable;

/**
 * Locks in ZooKeeper 3.6 or later, over a client of Curator.
 *
 * <p><b>Stored</b> at {@code <root>/<key>} ({@link LockPaths}): a container node, the queue, with one ephemeral
 * sequential node per instance that has the lock, waits for it or tries to acquire it. The data of a node is a lock
 * token. Names have a random part, or the number of the node that they replace, so no command meets another node than
 * the intended one. The instance that has created a container deletes it after 30 s if it is empty then. The servers
 * delete others, such as the container of a lock that was held for longer, by default at most 167 a second: too few if
 * each message has its own lock.
 *
 * <p><b>Grant</b>: the first node has the lock. A free lock takes one round trip, since the read of the queue is sent
 * right behind the creation of the node, and its release another one. A waiter keeps its node and watches the one in
 * front of it, so that a release wakes one instance. It takes the lock by writing its lock token, which proves its
 * session, with the read of the queue right behind. An instance that continues to wait releases the lock and creates
 * its next node in one transaction, and watches the last node that it knows in front of it. So another owner costs two
 * transactions and four requests. The fencing token is the {@code czxid} of the node, which grows over all nodes of the
 * ensemble; the number in the name restarts with each new container.
 *
 * <p><b>Lease</b>: the servers know only the session, and delete the nodes of an instance after a silence of the
 * session timeout. This backend ends the lease of a lock that is not renewed ({@link OwnNodes}). A renewal asks whether
 * the session continues ({@link Session}); any number of them share one question.
 *
 * <p><b>Guarantee</b>: with a majority of servers that keep acknowledged data, at most one instance has the lock, and a
 * lock is certain ({@link CrashDetection#certainTime}) for half of the session timeout after the last answered question
 * was sent. <b>Known hole</b>: an instance that is paused for longer continues with its next step when it resumes, even
 * if another one has the lock. A resource that checks the fencing token refuses that step.
 */
public final class ZooKeeperLockBackend implements LockBackend {

    /** The capabilities of this store. */
    public static final StoreCapabilities CAPABILITIES = new StoreCapabilities(1, false, false, false, false);

    /** Longer than any session timeout. */
    private static final long LONG_AGO = TimeUnit.DAYS.toNanos(1);

    // Any thread calls; the client's event thread answers. The steps of a command complete its answer, or the timer
    // does with "unknown". Steps may continue after that.
    private final CuratorFramework client;
    private final ZooKeeperLockSettings settings;
    private final Runnable whenClosed;
    private final Session session;
    private final LockPaths paths;
    private final NodeReleaser releaser;
    private final NodeInspector inspector;
    private final OwnNodes own;
    private final ConnectionEvents connection;
    private final ScheduledThreadPoolExecutor timer;
    private volatile boolean closed;

    /**
     * Locks over the client of an application.
     *
     * @param client started if it has not been, and never closed
     * @param settings settings
     */
    public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings) {
        this(client, settings, () -> {});
    }

    /**
     * Locks over a client.
     *
     * @param client started if it has not been. Otherwise the first locks wait until its session is certain: up to a
     *     third of the session timeout
     * @param settings settings
     * @param whenClosed called once at the end, such as to close the client, which ends its session and all its locks
     */
    public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings, Runnable whenClosed) {
        this.client = client;
        this.settings = settings;
        this.whenClosed = whenClosed;
        this.timer = LockThreads.timer("lock-zookeeper");
        this.session = new Session(client, settings, timer, start(client));
        this.connection = new ConnectionEvents(client);
        NodeCalls calls = new NodeCalls(client, timer, System::nanoTime);
        this.own = new OwnNodes(calls, session, timer, connection);
        this.paths = new LockPaths(settings.root(), new StoredKeys(settings.keyPrefix()));
        this.releaser = new NodeReleaser(own, session, paths);
        this.inspector = new NodeInspector(calls, paths);
    }

    /** A time before which the client certainly had no session. */
    private static long start(CuratorFramework client) {
        if (client.getState() == CuratorFrameworkState.LATENT) {
            long before = System.nanoTime();
            client.start();
            return before;
        }
        return System.nanoTime() - LONG_AGO;
    }

    /**
     * Waits until the client is connected and its session certain, the time is over or the thread is interrupted, which
     * sets the flag again.
     *
     * @param limit longest wait for the connection; the session of a client that had been started is certain after up
     *     to a third of the session timeout more
     * @return the reason why no lock can be kept; empty if locks are granted, or will be once the session is certain
     */
    public Optional<String> connect(Duration limit) {
        long start = System.nanoTime();
        try {
            if (client.blockUntilConnected((int) limit.toMillis(), TimeUnit.MILLISECONDS)) {
                Duration left = limit.plus(session.timeout().dividedBy(3)).minusNanos(System.nanoTime() - start);
                boolean told = BlockingWait.await(session.prove(), left);
                return told ? session.problem() : Optional.empty(); // connected, but not certain yet
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.of(this + " did not answer within " + DurationText.exactly(limit));
    }

    /** {@return the session timeout that the servers granted; before the first connection, the requested one} */
    public Duration sessionTimeout() {
        return session.timeout();
    }

    @Override
    public StoreCapabilities capabilities() {
        return CAPABILITIES;
    }

    @Override
    public void listen(String instanceId, SignalListener listener) {
        connection.listen(listener);
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        if (closed) {
            return CompletableFuture.completedFuture(new AcquireResult.Rejected(
                    "The ZooKeeper lock backend is closed", new IllegalStateException("closed")));
        }
        QueueAttempt attempt = new QueueAttempt(own, session, paths.directory(command.key()), command);
        CompletionStage<AcquireResult> answer =
                inTime(begun(attempt).exceptionallyCompose(this::notAcquired), Failures::ofAcquire);
        return answer.thenApply(result -> {
            if (closed || result instanceof AcquireResult.Unknown) {
                attempt.giveUp();
            }
            return result;
        });
    }

    private static CompletableFuture<AcquireResult> begun(QueueAttempt attempt) {
        try {
            return attempt.begin();
        } catch (RuntimeException | Error e) { // such as no thread: the node may have been created
            attempt.giveUp();
            throw e;
        }
    }

    /** A container with its parents can be created, unless the root is missing or others delete the container. */
    private CompletableFuture<AcquireResult> notAcquired(Throwable failure) {
        Throwable cause = BackendGuard.causeOf(failure);
        return NodeCalls.isNoNode(failure)
                ? session.askForRoot().thenApply(problem -> problem.<AcquireResult>map(
                                missing -> new AcquireResult.Rejected(missing, cause))
                        .orElseGet(() -> new AcquireResult.Unavailable(Failures.QUEUE_DELETED, cause)))
                : CompletableFuture.completedFuture(Failures.ofAcquire(failure));
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        if (commands.isEmpty()) {
            return List.of();
        }
        long sent = System.nanoTime();
        CompletableFuture<OptionalLong> proof = session.prove();
        return commands.stream().map(command -> renewNode(command, proof, sent)).toList();
    }

    /** The server reports a revocation before it answers a later command. */
    private CompletionStage<RenewResult> renewNode(
            RenewCommand command, CompletableFuture<OptionalLong> proof, long sent) {
        OwnNode held = own.find(paths.directory(command.key()), command.token());
        CompletableFuture<?> watched = held == null ? CompletableFuture.completedFuture(null) : own.watch(held);
        return inTime(
                watched.thenCombine(proof, (done, proven) -> renewed(held, command, proven, sent)), Failures::ofRenew);
    }

    private RenewResult renewed(@Nullable OwnNode held, RenewCommand command, OptionalLong proven, long sent) {
        if (proven.isEmpty()) {
            return Failures.ofRenew(Failures.withoutProof());
        }
        if (held == null) {
            return new RenewResult.NotHeld();
        }
        if (proven.getAsLong() != held.node.session()) {
            own.leave(held);
        }
        if (held.state == State.HELD && !held.watched) {
            return Failures.ofRenew(new IllegalStateException("The node of the lock could not be watched"));
        }
        return own.prolong(held, sent + command.lease().toNanos())
                ? new RenewResult.Renewed()
                : new RenewResult.NotHeld();
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        return inTime(releaser.releaseNode(command), Failures::ofRelease);
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return inTime(inspector.inspect(key), Failures::ofInspect);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return inTime(inspector.revoke(key, fencingToken), Failures::ofRevoke);
    }

    @Override
    public CompletionStage<StoreState> state() {
        return inTime(
                session.prove()
                        .thenApply(proven -> new StoreState(
                                toString(),
                                proven.isPresent()
                                        ? session.problem()
                                        : Optional.of("No answer of a majority of the ZooKeeper servers"))),
                failure -> new StoreState(toString(), Optional.of(Failures.told(failure))));
    }

    /** {@inheritDoc} False once this backend is being closed. */
    @Override
    public boolean isSilence(Throwable failure) {
        return !closed && Failures.isSilence(failure);
    }

    @Override
    public Optional<CrashDetection> crashDetection() {
        return Optional.of(session);
    }

    @Override
    public CrashTakeover crashTakeover() {
        return CrashTakeover.UNNEEDED;
    }

    /** Answers "unknown" after a failure or the command timeout. */
    private <R> CompletionStage<R> inTime(CompletableFuture<R> work, Function<Throwable, R> unknown) {
        CompletableFuture<R> answer = work.exceptionally(unknown);
        if (!answer.isDone()) {
            try {
                // Not the JDK's timer, which serves the whole JVM: what follows is the caller's.
                Future<?> end = timer.schedule(
                        () -> answer.complete(unknown.apply(noAnswer())),
                        settings.commandTimeout().toMillis(),
                        TimeUnit.MILLISECONDS);
                answer.whenComplete((result, failure) -> end.cancel(false));
            } catch (RejectedExecutionException e) {
                answer.complete(unknown.apply(noAnswer())); // closed
            }
        }
        return answer;
    }

    private TimeoutException noAnswer() {
        return new TimeoutException("no answer within " + DurationText.exactly(settings.commandTimeout()));
    }

    /** Servers and root. */
    @Override
    public String toString() {
        return "ZooKeeper (" + client.getZookeeperClient().getCurrentConnectionString() + settings.root() + ")";
    }

    /** Deletes the nodes of this instance, if the servers are reachable. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        connection.close();
        own.leaveAll();
        timer.shutdown();
        whenClosed.run();
    }
}
