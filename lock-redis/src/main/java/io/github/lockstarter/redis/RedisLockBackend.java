package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.check.ServerChecks;
import io.github.lockstarter.redis.check.StartCheck;
import io.github.lockstarter.redis.check.StoreProbe;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RequiredRights;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.history.ClientHistories;
import io.github.lockstarter.redis.history.ServerHistory;
import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.script.AcquireScript;
import io.github.lockstarter.redis.script.AdminScripts;
import io.github.lockstarter.redis.script.CallQueue;
import io.github.lockstarter.redis.script.ReleaseScript;
import io.github.lockstarter.redis.script.RenewScript;
import io.github.lockstarter.redis.script.ScriptRunner;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.takeover.RedisHeartbeat;
import io.github.lockstarter.redis.takeover.TakeOverAcknowledgement;
import io.github.lockstarter.redlock.QuorumNode;
import io.github.lockstarter.redlock.Vote;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.TakeOverCondition;
import io.lettuce.core.RedisCommandTimeoutException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Locks on one Redis.
 *
 * <p><b>Keys.</b> The lock {@code n} is the string {@code <prefix>{n}}, whose value is the owner's last fencing token
 * and its token, and whose expiry is the lease; beside it {@code <prefix>{n}:waiters}, the sorted set of the instances
 * that wait, kept as long as they are patient. A lock that is released leaves nothing. All locks share the counter of
 * the fencing tokens, {@code <prefix>fence}, in a cluster {@code <prefix>fence:{n}} for each slot. In {@code n},
 * braces, {@code %} and control characters are percent-encoded; above 256 bytes it is {@code %#} and its SHA-256. All
 * keys of a lock share a hash slot. Signals are published to {@code <prefix>mailbox:<instance>}: {@code n}
 * for a lock that may be free, {@code %!n} for one that is wanted. {@code <prefix>doubt:<instance>} notes that an
 * instance is not heard, and {@code <prefix>taken:<instance>} that locks of it were taken over.
 *
 * <p><b>Commands.</b> One Lua script per verb, sent by EVALSHA, with EVAL where the server does not know it yet. They
 * call GET, MGET, SET, INCRBY, DEL, EXISTS, PEXPIRE, PTTL, TIME, INFO, ZADD, ZREM, ZSCORE, ZCARD, ZPOPMIN and
 * PUBLISH; those for take-overs PUBSUB NUMSUB, and WAIT where there are replicas. An uncontended acquisition and
 * release cost two round trips; up to 50 renewals are one call, and so are up to 32 attempts or releases that come
 * while others are under way. A {@code SET <prefix>{n} text NX PX} of another program excludes these locks and is
 * excluded by them.
 *
 * <p><b>Guarantee.</b> At most one token has a key while its lease is valid, and the fencing tokens of a key grow
 * strictly: also if the fencing counter is lost, unless the server's clock stands below the last one and the caller no
 * longer knows that. A server that restarts without its data, or fails over to a replica that lags, has forgotten
 * locks; the history guard (docs/design.md) recognises it by {@code <prefix>history}, in a cluster
 * {@code <prefix>history:{n}}: then what is free is granted after the longest lease, and a renewal brings back what its
 * owner had.
 *
 * <p><b>Known hole.</b> Where the guard has no grace period or its assumptions do not hold (docs/guarantees.md, case
 * 7), and when a server evicts keys, it grants locks again while the first owner still works. Set {@code
 * maxmemory-policy noeviction}, and check the fencing token where you write.
 *
 * <p>A command is without effect, done, or unknown: an error reply and a failed connection mean that nothing was
 * acquired, a broken connection and the command timeout that it is unknown. Commands of one thread keep their order; a
 * connection that breaks, or a server that is made to forget its scripts meanwhile, may change it. Connects with the
 * first command, unless {@link #start} did before; after {@link #stop}, only {@link #start} connects again.
 * Thread-safe; stages complete on the event loop, or at once where nothing can be sent.
 */
public final class RedisLockBackend implements QuorumNode {

    private static final String OF_CLUSTER = "A node of a Redis Cluster knows the connections to itself alone, and not"
            + " whether an instance is connected to another node";
    private static final String UNGUARDED = "distributed-lock.redis.grace-period is 0s, so that after a failover or a"
            + " restart a server may have locks that have other owners by now";
    private static final String DEGRADED = "Redis does not show this user the name of its replication history"
            + " (master_replid of INFO replication), so that a server may have locks that have other owners by now";
    private static final String REFUSED =
            " lacks a right that take-overs need, so that this instance takes no locks over: ";
    private static final CrashTakeOver UNACKNOWLEDGED = CrashTakeOver.off(
            "A take-over waits for a replica that is away: every server that may become the master has"
                    + " to acknowledge it first. Bring the replica back, or have the sentinels forget it (SENTINEL "
                    + "RESET)");

    private final KeySpace keySpace;
    private final AcquireScript acquireScript;
    private final RenewScript renewScript;
    private final ReleaseScript releaseScript;
    private final AdminScripts adminScripts;
    private final ClientHistories histories;
    private final RedisExceptionTranslator failures;
    private final RedisConnector connector;
    private final RedisSettings settings;
    private final RedisConnections connections;
    private final ScriptRunner runner;
    private final StoreProbe probe;
    private final ServerChecks serverChecks;
    /** Empty where no lock is taken over; then so is the next one. */
    private final Optional<TakeOverAcknowledgement> acknowledgement;

    private final Optional<RedisHeartbeat> heartbeat;

    /** One for each connection, by the address of the node; without a cluster there is one. */
    private final Map<String, CallQueue> queues = new ConcurrentHashMap<>();

    /**
     * Creates a backend; connects nothing yet.
     *
     * @param connector opens the connections; closed by {@link #close}
     * @param settings prefix, timeout, and for how long histories matter
     */
    public RedisLockBackend(RedisConnector connector, RedisSettings settings) {
        this(connector, settings, new RedisConnections(connector, settings));
    }

    /** For tests: uses the given connections and closes them. */
    RedisLockBackend(RedisConnector connector, RedisSettings settings, RedisConnections connections) {
        this.keySpace = KeySpace.of(settings.keyPrefix(), connector.isCluster());
        this.adminScripts = new AdminScripts(keySpace, connector.isCluster());
        this.histories = new ClientHistories(keySpace, connector, settings.guard(), connections::nodeOf);
        this.failures = new RedisExceptionTranslator(connector, settings);
        this.connector = connector;
        this.settings = settings;
        this.connections = connections;
        this.runner = new ScriptRunner(connections, failures);
        this.renewScript = new RenewScript(keySpace, histories, failures);
        this.releaseScript = new ReleaseScript(runner, keySpace, connector.isCluster());
        this.probe = new StoreProbe(connections::slots, key -> inspect(key, 0));
        this.serverChecks = new ServerChecks(connections, connector, settings);
        this.acknowledgement = connector.isCluster() || settings.guard().isOff()
                ? Optional.empty()
                : Optional.of(new TakeOverAcknowledgement(connector, keySpace, settings));
        this.heartbeat = acknowledgement.map(known -> heartbeat(histories.ofKey(keySpace.history()), known));
        this.acquireScript = new AcquireScript(
                runner,
                keySpace,
                histories,
                failures,
                (unacknowledged, key) -> acknowledgement.ifPresent(known -> known.begin(unacknowledged, key)));
    }

    private RedisHeartbeat heartbeat(ServerHistory history, TakeOverAcknowledgement known) {
        TakeOverCondition condition =
                connector.hasReplicas() ? TakeOverCondition.ACKNOWLEDGED_BY_REPLICAS : TakeOverCondition.NONE;
        return new RedisHeartbeat(
                runner,
                connections,
                keySpace,
                new RedisHeartbeat.Terms(history, settings.commandTimeout(), condition),
                known,
                connector::nanoTime);
    }

    /**
     * Connects, and checks with keys of its own that the server lets the scripts do all they need. Blocks. A backend
     * that could not start connects again with the next command. Closed backends stay closed.
     *
     * @throws RedisUnavailableException when there is no connection, or a right is missing
     */
    public void start() {
        connections.start();
        acknowledgement.ifPresent(TakeOverAcknowledgement::start);
        StartCheck check = new StartCheck(connections, keySpace, histories, failures);
        open();
        check.run();
        serverChecks.run();
        heartbeat.ifPresent(
                known -> BlockingWait.awaitUninterruptibly(known.learn().toCompletableFuture()));
    }

    /**
     * In a JVM that has yet to load the client's classes, this takes longer than a caller of locks would wait. It may
     * even leave the server no time for its answer, hence a second attempt when no answer has come.
     */
    private void open() {
        connections
                .open(keySpace.history())
                .flatMap(failure -> isTimeout(failure) ? connections.open(keySpace.history()) : Optional.of(failure))
                .map(failures::ofConnecting)
                .ifPresent(failure -> {
                    throw StartCheck.unavailable(failure);
                });
    }

    private static boolean isTimeout(Throwable failure) {
        return ExceptionCauses.reasonsOf(failure).anyMatch(RedisCommandTimeoutException.class::isInstance);
    }

    /**
     * What the settings of the servers put at risk, as the last {@link #start}, or a later {@link #state}, found them;
     * before that, what this backend's own put at risk. Returns at once.
     *
     * @return a text for each, which says what to change; none if all is well, or the servers do not tell
     */
    public List<String> warnings() {
        return serverChecks.warnings();
    }

    /**
     * Closes the connections, also one that is being opened, and lets no command open them again before {@link #start}:
     * it is answered at once, as not sent. Blocks until they are closed, at most about 5 s.
     */
    public void stop() {
        acknowledgement.ifPresent(TakeOverAcknowledgement::stop);
        connections.stop();
    }

    /**
     * How well locks are guarded against a Redis that has forgotten them. Returns at once.
     *
     * @return what the answers so far and the last {@link #start} said
     */
    public Guard guard() {
        return histories.guard();
    }

    /**
     * What the server calls its replication history, as the last {@link #start} found. Two servers never have the same,
     * unless one of them replicates the other: two backends with one name lead to one server.
     *
     * @return the name; empty where the server does not tell it to this user, or has not been asked yet
     */
    public Optional<String> historyName() {
        return histories.name();
    }

    @Override
    public CompletionStage<AcquireResult> acquire(AcquireCommand command) {
        return queueOf(command.key()).attempt(acquireScript, command);
    }

    @Override
    public CompletionStage<Vote> vote(AcquireCommand command) {
        // In order: the quorum may have decided, and a release follow, before this node answers.
        return queueOf(command.key()).inOrder(() -> acquireScript.vote(command));
    }

    private CallQueue queueOf(String key) {
        String node =
                connector.isCluster() ? connections.nodeOf(keySpace.lockOf(key)).orElse("") : "";
        CallQueue known = queues.get(node);
        return known == null
                ? queues.computeIfAbsent(
                        node, any -> new CallQueue(connector.timer(), settings.commandTimeout(), connector::nanoTime))
                : known;
    }

    @Override
    public List<CompletionStage<RenewResult>> renew(List<RenewCommand> commands) {
        List<CompletionStage<RenewResult>> renewals = new ArrayList<>(commands.size());
        for (RenewScript.Batch batch : renewScript.batches(commands)) {
            CompletionStage<List<RenewResult>> results =
                    queueOf(batch.key()).inOrder(() -> runner.run(batch.call(), batch));
            for (int i = 0; i < batch.size(); i++) {
                int place = i;
                renewals.add(results.thenApply(all -> all.get(place)));
            }
        }
        return renewals;
    }

    @Override
    public CompletionStage<ReleaseResult> release(ReleaseCommand command) {
        CallQueue queue = queueOf(command.key());
        return command.slots().count() == 1
                ? queue.inOrder(releaseScript, command)
                : queue.inOrder(() -> releaseScript.sendToAll(command));
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        LockKeys keys = keySpace.keysOf(key);
        return runner.run(AdminScripts.inspect(keys, slot, histories.of(keys.lock())), AdminScripts.INSPECT_READER);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return runner.run(adminScripts.revoke(key, slot, fencingToken), AdminScripts.REVOKE_READER)
                .thenCompose(revocation -> revocation instanceof Revocation.Stale
                        ? inspect(key, slot).thenApply(Revocation.Stale::new)
                        : CompletableFuture.completedFuture(revocation));
    }

    /**
     * {@inheritDoc} Looks at locks that are never taken, in a cluster at one of each master, which connects if need be.
     * What the settings put at risk is known from the start, and asked for again now and then, for the next look.
     */
    @Override
    public CompletionStage<StoreState> state() {
        return probe.ask().thenApply(found -> {
            // The start may have found no Redis, and settings change. No caller waits for it.
            if (found.failure().isEmpty() && serverChecks.lookAgain()) {
                heartbeat.ifPresent(RedisHeartbeat::learn);
            }
            return new StoreState(
                    toString(),
                    found.failure(),
                    histories.recovering(),
                    guard(),
                    connections.hearsSignals(),
                    Stream.concat(found.warnings().stream(), warnings().stream())
                            .toList(),
                    found.nodes());
        });
    }

    /**
     * {@inheritDoc} In a cluster there is none, since a node counts only the listeners that are connected to itself;
     * nor without a grace period, in which a server takes no locks over that it has only copied.
     */
    @Override
    public Optional<CrashDetection> crashDetection() {
        return heartbeat.map(CrashDetection.class::cast);
    }

    /** {@inheritDoc} Known from the start on, and from the answers since. */
    @Override
    public CrashTakeOver crashTakeOver() {
        if (connector.isCluster()) {
            return CrashTakeOver.off(OF_CLUSTER);
        }
        if (settings.guard().isOff()) {
            return CrashTakeOver.off(UNGUARDED);
        }
        return guard() == Guard.DEGRADED
                ? CrashTakeOver.off(DEGRADED)
                : heartbeat.flatMap(RedisHeartbeat::refusal).map(this::refused).orElseGet(this::unlessUnacknowledged);
    }

    private CrashTakeOver unlessUnacknowledged() {
        return heartbeat.filter(RedisHeartbeat::isUnacknowledged).isPresent() ? UNACKNOWLEDGED : CrashTakeOver.ON;
    }

    private CrashTakeOver refused(ServerError refusal) {
        return new CrashTakeOver(
                CrashTakeOver.State.OFF,
                "The user of Redis at " + connector.target() + REFUSED + refusal.text(),
                new RequiredRights(settings).remedyOf(refusal));
    }

    @Override
    public boolean isSilence(Throwable failure) {
        return RedisExceptionTranslator.isSilence(failure);
    }

    /** {@inheritDoc} The node of a cluster. */
    @Override
    public Optional<String> serverOf(String key) {
        return connector.isCluster()
                ? connections.nodeOf(keySpace.lockOf(key)).map(node -> "Redis at " + node)
                : Optional.empty();
    }

    /**
     * {@inheritDoc} Subscribes before any further command is sent.
     *
     * @throws IllegalStateException when called a second time
     */
    @Override
    public void listen(String instanceId, SignalListener listener) {
        heartbeat.ifPresent(known -> known.ofInstance(instanceId));
        acknowledgement.ifPresent(known -> known.report(key -> listener.onSignal(key, 0)));
        histories.reportTo(listener::onStoreEvent);
        connections.subscribe(new SignalMailbox(keySpace.mailboxOf(instanceId), listener));
    }

    /** Which Redis it is. */
    @Override
    public String toString() {
        return "Redis at " + connector.target();
    }

    @Override
    public void close() {
        acknowledgement.ifPresent(TakeOverAcknowledgement::close);
        connections.close();
        connector.close();
    }
}
