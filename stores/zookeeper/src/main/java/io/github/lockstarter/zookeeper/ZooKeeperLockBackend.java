package io.github.lockstarter.zookeeper;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
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
import io.github.lockstarter.spi.StoreCapabilities.Leases;
import io.github.lockstarter.spi.StoreCapabilities.Signals;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
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
 * <p><b>Kept</b> at {@code <root>/<key>} ({@link LockPaths}): a container node, in it one ephemeral sequential node
 * for each instance that has the lock, waits for it, or tries to get it. Its data is the lock token. The server removes
 * the container some time after the last of them; one that does not run its container manager keeps it. Names have a
 * part made at random, or the number of the node that they follow, so that no command meets another node than the one
 * it is meant for.
 *
 * <p><b>Grant</b>: the instance whose node is the first one has the lock. A waiter stays in the line by its node, and
 * watches the node right before it, never the line, so that a release wakes one instance. The lock is then that
 * instance's: no other can come first. A free lock takes one round trip, since the look at the line is sent right
 * behind the node, and its release another one. A waiter that is first takes the lock by writing its lock token, which
 * proves its session; the look at the line is sent right behind that, too. An instance that goes on waiting releases
 * the lock and creates its next node in one transaction, and watches the last node that it knows to be before that: so
 * another owner costs two transactions and four requests. The fencing token is the {@code czxid} of the node, which
 * grows over all nodes of the ensemble. The number in the name does not serve: it starts again with each new container.
 *
 * <p><b>Lease</b>: the servers know the session alone, and delete the nodes of an instance that they have not heard
 * for the session time-out. The lease of a lock that is not renewed is ended by this backend ({@link Deadlines}). A
 * renewal asks whether the session goes on ({@link Session}); any number share one question.
 *
 * <p><b>Guarantee</b>: with a majority of servers that keep what they have acknowledged, at most one instance has the
 * lock at a time, and a lock is certain ({@link CrashDetection#certainTime}) for half of the session time-out from the
 * sending of the last question that was answered. <b>Known hole</b>: an instance that is paused for longer goes on
 * with what it was about to do when it is resumed, though the lock is another one's by then. The fencing token shows
 * that to who checks it.
 */
public final class ZooKeeperLockBackend implements LockBackend {

    /** What this store can do. */
    public static final StoreCapabilities CAPABILITIES =
            new StoreCapabilities(Signals.IN_ORDER, Leases.OF_SESSION, Duration.ofMillis(1), 1, false, false);

    /** Longer than any session time-out. */
    private static final long LONG_AGO = TimeUnit.DAYS.toNanos(1);

    // Called by any thread; answers come on the client's event thread. A command is answered by its steps, or by the
    // timer with "unknown" if that is sooner. The steps of an attempt may go on after that: what they find created is
    // deleted.
    private final CuratorFramework client;
    private final ZooKeeperLockSettings settings;
    private final Runnable whenClosed;
    private final Session session;
    private final LockLine lines;
    private final LockInspector inspector;
    private final Holds holds;
    private final ConnectionEvents connection;
    private final ScheduledThreadPoolExecutor timer;
    private final Deadlines deadlines;
    private volatile boolean closed;

    /**
     * Locks over a client.
     *
     * @param client the client; started if it has not been, and not closed
     * @param settings where the locks are, and how long answers may take
     */
    public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings) {
        this(client, settings, () -> {});
    }

    /**
     * Locks over a client.
     *
     * @param client the client; started if it has not been. With one that was started before, the first locks wait
     *     until its session is certain: a third of the session time-out at most
     * @param settings where the locks are, and how long answers may take
     * @param whenClosed called once in the end, such as to close the client, which ends its session and with it each
     *     lock
     */
    public ZooKeeperLockBackend(CuratorFramework client, ZooKeeperLockSettings settings, Runnable whenClosed) {
        this.client = client;
        this.settings = settings;
        this.whenClosed = whenClosed;
        this.timer = LockThreads.timer("lock-zookeeper");
        this.session = new Session(client, settings, timer, start(client));
        this.deadlines = new Deadlines(timer);
        this.connection = new ConnectionEvents(client);
        Nodes nodes = new Nodes(client);
        this.holds = new Holds(timer, deadlines, nodes, connection);
        LockPaths paths = new LockPaths(settings.root(), settings.keyPrefix());
        this.lines = new LockLine(nodes, session, holds, new Places(nodes, connection), paths);
        this.inspector = new LockInspector(nodes, paths);
    }

    /** The time before which the client certainly had no session. */
    private static long start(CuratorFramework client) {
        if (client.getState() == CuratorFrameworkState.LATENT) {
            long before = System.nanoTime();
            client.start();
            return before;
        }
        return System.nanoTime() - LONG_AGO;
    }

    /**
     * Waits until the client is connected, and its session is certain; or until the time is over, or the caller is
     * interrupted: the flag is set again.
     *
     * @param limit how long to wait
     * @return why no lock can be kept; empty if they can, or as soon as the session is certain
     */
    public Optional<String> connect(Duration limit) {
        long start = System.nanoTime();
        try {
            if (client.blockUntilConnected((int) limit.toMillis(), TimeUnit.MILLISECONDS)) {
                BlockingWait.await(session.prove(), limit.minusNanos(System.nanoTime() - start));
                return session.problem();
            }
        } catch (TimeoutException e) {
            return Optional.empty(); // locks are granted as soon as it is certain
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return Optional.of(this + " did not answer within " + DurationText.exactly(limit));
    }

    /**
     * How long the servers keep the locks of an instance that they do not hear.
     *
     * @return what they have granted; before the first connection, what the client asks for
     */
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
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        if (closed) {
            return CompletableFuture.completedFuture(new AcquireResult.Rejected(
                    "The ZooKeeper lock backend is closed", new IllegalStateException("closed")));
        }
        if (!command.atLeast().isZero()) {
            String reason = "ZooKeeper keeps no lock for a minimum time, and "
                    + DurationText.exactly(command.atLeast())
                    + " are asked for. Leave the minimum time out, or keep the lock in another backend";
            return CompletableFuture.completedFuture(
                    new AcquireResult.Rejected(reason, new UnsupportedOperationException(reason)));
        }
        Attempt attempt = new Attempt(lines, command, System.nanoTime());
        CompletionStage<AcquireResult> answer =
                inTime(attempt.begin().exceptionally(this::notAcquired), Failures::ofAcquire);
        return answer.thenApply(result -> {
            if (result instanceof AcquireResult.Unknown) {
                attempt.giveUp();
            }
            return result;
        });
    }

    /** A container with its parents can be created, unless the root of the client is missing. */
    private AcquireResult notAcquired(Throwable failure) {
        return Nodes.isNoNode(failure)
                ? new AcquireResult.Rejected(Failures.withoutChroot(client), Failures.causeOf(failure))
                : Failures.ofAcquire(failure);
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        if (commands.isEmpty()) {
            return List.of();
        }
        long sent = System.nanoTime();
        CompletableFuture<OptionalLong> proof = session.prove();
        return commands.stream().map(command -> renew(command, proof, sent)).toList();
    }

    private CompletionStage<RenewResult> renew(RenewCommand command, CompletableFuture<OptionalLong> proof, long sent) {
        // The lease must not end while the question is on its way: the answer may be that it is prolonged.
        Hold hold = holds.find(command.token());
        CompletableFuture<?> watched = hold == null ? CompletableFuture.completedFuture(null) : holds.watch(hold);
        return inTime(
                watched.thenCombine(proof, (done, proven) -> renewed(hold, command, proven, sent)), Failures::ofRenew);
    }

    private RenewResult renewed(@Nullable Hold hold, RenewCommand command, OptionalLong proven, long sent) {
        if (proven.isEmpty()) {
            return Failures.ofRenew(Failures.withoutProof());
        }
        if (hold == null) {
            return new RenewResult.NotHeld();
        }
        if (proven.getAsLong() != hold.node.session()) {
            holds.lost(hold);
            return new RenewResult.NotHeld();
        }
        // An operator's revocation deletes the node, of which the server tells before it answers what came later.
        if (hold.isReleasing || holds.find(command.token()) != hold) {
            return new RenewResult.NotHeld();
        }
        if (!hold.isWatched) {
            return Failures.ofRenew(new IllegalStateException("The node of the lock could not be watched"));
        }
        return holds.prolong(hold, sent + command.lease().toNanos())
                ? new RenewResult.Renewed()
                : new RenewResult.NotHeld();
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        return inTime(lines.release(command), Failures::ofRelease);
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

    /** {@inheritDoc} What fails while this backend is being closed is none. */
    @Override
    public boolean isSilence(Throwable failure) {
        return !closed && Failures.isSilence(failure);
    }

    @Override
    public Optional<CrashDetection> crashDetection() {
        return Optional.of(session);
    }

    @Override
    public CrashTakeOver crashTakeOver() {
        return CrashTakeOver.UNNEEDED;
    }

    /** The outcome of a command; unknown if it failed, or has no answer in time. */
    private <R> CompletionStage<R> inTime(CompletableFuture<R> work, Function<Throwable, R> unknown) {
        CompletableFuture<R> answer = work.exceptionally(unknown);
        if (!answer.isDone()) {
            long end = System.nanoTime() + settings.commandTimeout().toNanos();
            deadlines.add(now -> answer.isDone() || (now - end >= 0 && answer.complete(unknown.apply(noAnswer()))));
        }
        return answer;
    }

    private TimeoutException noAnswer() {
        return new TimeoutException("no answer within " + DurationText.exactly(settings.commandTimeout()));
    }

    /** Where locks are kept. */
    @Override
    public String toString() {
        return "ZooKeeper (" + client.getZookeeperClient().getCurrentConnectionString() + settings.root() + ")";
    }

    /** Deletes what this instance has in the lines of locks, as far as the servers can be reached. Idempotent. */
    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        connection.close();
        lines.leaveAll();
        timer.shutdown();
        whenClosed.run();
    }
}
