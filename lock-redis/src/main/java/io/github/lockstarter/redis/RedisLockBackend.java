package io.github.lockstarter.redis;

import io.github.lockstarter.LockAdmin.Revocation;
import io.github.lockstarter.LockAdmin.StoreState;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockAdmin.StoreState.Guard;
import io.github.lockstarter.LockAdmin.StoredLock;
import io.github.lockstarter.redis.ScriptRunner.Signals;
import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.redis.connection.RedisConnections;
import io.github.lockstarter.redis.connection.RedisLink;
import io.github.lockstarter.redis.connection.SignalMailbox;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisUnavailableException;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.failure.RedisExceptionTranslator;
import io.github.lockstarter.redis.failure.RedisFailure;
import io.github.lockstarter.redis.failure.RequiredRights;
import io.github.lockstarter.redis.failure.ServerError;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireResult;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.QuorumNode;
import io.github.lockstarter.spi.QuorumNode.Vote;
import io.github.lockstarter.spi.ReleaseCommand;
import io.github.lockstarter.spi.ReleaseResult;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import io.github.lockstarter.spi.SignalListener;
import io.github.lockstarter.spi.TakeoverCondition;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/**
 * Locks on one Redis server, with or without replicas, in a cluster, or on shards behind one address.
 * <p><b>Keys.</b> The lock {@code n} is the string {@code <prefix>{n}}, with further permits {@code <prefix>{n}:p1} and
 * so on, readers {@code :p1024} and so on: the owner's last fencing token and lock token, expiring with the lease.
 * While there are readers, {@code <prefix>{n}} has {@code %read} in place of the lock token. {@code
 * <prefix>{n}:waiters} is the sorted set of waiting instances, kept for their patience. A released lock without waiters
 * leaves no key. All locks share the fencing counter {@code <prefix>fence}, the history marker {@code <prefix>history},
 * its {@code :checked}, and its {@code :takeovers}, a hash with what takeovers need (docs/design.md); in a cluster or
 * on shards each slot has its own, such as {@code <prefix>fence:{i}}, with a number {@code i} in that slot ({@code
 * LayoutDecision}). In {@code n}, braces, {@code %} and control characters are percent-encoded; above 256 bytes it is
 * {@code %#} and its SHA-256. Signals are published to {@code <prefix>mailbox:<instance>}. {@code
 * <prefix>history:grace} is the grace period of an instance, for comparison.
 * <p><b>Commands.</b> Lua scripts, sent by EVALSHA, or by EVAL until the server knows it. The scripts call GET, MGET,
 * SET, INCRBY, DEL, EXISTS, PEXPIRE, PTTL, TIME, INFO, HSET, HMGET, HGETALL, HDEL, ZADD, ZREM, ZSCORE, ZCARD, ZPOPMIN,
 * ZRANGEBYSCORE and PUBLISH, on the keys of the call only; takeovers also need PUBSUB NUMSUB, and WAIT with replicas.
 * An uncontended acquisition and release take two round trips; on one server up to 32 renewals share a call, under
 * load also attempts or releases. A {@code SET <prefix>{n} text NX PX} of another program and these locks exclude each
 * other.
 * <p><b>Guarantee.</b> At most one token holds a key while its lease is valid, and the fencing tokens of a key strictly
 * increase, even after loss of the counter, unless the server's clock is behind the last token and the caller no longer
 * knows that token. After a restart without data or a failover to a lagging replica, the history guard (docs/design.md)
 * grants free locks only after the longest lease; renewals restore the locks of their owners.
 * <p><b>Known hole.</b> Without a grace period, if the guard's assumptions fail (docs/guarantees.md, case 7), or when
 * the server evicts keys, a lock may be granted again while its first owner still works. Set {@code maxmemory-policy
 * noeviction}, and check the fencing token where you write.
 * <p>After an error reply or a failed connection attempt nothing was acquired; after a broken connection, a timeout or
 * a failure of Lua itself the outcome is unknown. Commands of one thread keep their order, except across a reconnect, a
 * {@code SCRIPT FLUSH}, and the first call of a script on a shard behind one address. Connects with the first command,
 * {@link #listen} or {@link #start}; after {@link #stop}, only with {@link #start}. Thread-safe; stages complete on the
 * event loop, or at once if nothing can be sent.
 */
public final class RedisLockBackend implements QuorumNode {

    private static final String OF_CLUSTER = "A node of a Redis Cluster knows the connections to itself alone, and not"
            + " whether an instance is connected to another node";
    private static final String OF_SHARDS = "The address leads to shards, and a shard knows the connections to itself"
            + " alone, and not whether an instance is connected to another one";
    private static final String UNGUARDED = "distributed-lock.redis.grace-period is 0s, so that after a failover or a"
            + " restart a server may have locks that have other owners by now";
    private static final String DURABLE = "distributed-lock.redis.durable is true, so that no grace period after a"
            + " failover or a restart lets the owners of locks connect again first";
    private static final String UNNAMED_HISTORY =
            " does not show this user the name of its replication history (master_replid of INFO replication)";
    private static final String DEGRADED =
            "Redis" + UNNAMED_HISTORY + ", so that a server may have locks that have other owners by now";
    private static final String REFUSED =
            " lacks a right that takeovers need, so that this instance takes no locks over: ";
    private static final CrashTakeover UNACKNOWLEDGED =
            CrashTakeover.off("A takeover waits for a replica that is away: every server that may become the master has"
                    + " to acknowledge it first. Bring the replica back, or have the sentinels forget it (SENTINEL "
                    + "RESET)");

    private static final Duration PROBE_LEASE = Duration.ofMillis(1);

    private final LayoutDecision layout;
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
    private final KeySpace probedKeys;
    private final AcquireScript probeScript;
    private final ServerChecks serverChecks;
    /** Empty if this topology or configuration has no takeover; then {@code heartbeat} is empty too. */
    private final Optional<TakeoverAcknowledgement> acknowledgement;

    private final Optional<RedisHeartbeat> heartbeat;

    /** By address of the cluster node; empty without a cluster. */
    private final Map<String, CallQueue> queues = new ConcurrentHashMap<>();

    /**
     * Creates a backend that is not connected yet.
     *
     * @param connector opens the connections; closed by {@link #close}
     * @param settings prefix, command timeout and history guard
     * @throws IllegalArgumentException if a setting contradicts the topology
     */
    public RedisLockBackend(RedisConnector connector, RedisSettings settings) {
        this(connector, settings, new RedisConnections(connector, settings));
    }

    RedisLockBackend(RedisConnector connector, RedisSettings settings, RedisConnections connections) {
        if (settings.guard().isDurable() && connector.hasReplicas()) {
            throw new IllegalArgumentException("distributed-lock.redis.durable is true, but replicas of Redis at "
                    + connector.target().name() + " may lack acknowledged writes when they are promoted. Remove it: it"
                    + " is for a service that writes to several places before it answers, such as Amazon MemoryDB");
        }
        this.layout = new LayoutDecision(connector, settings);
        this.keySpace = KeySpace.of(settings.keyPrefix(), layout::layout);
        this.histories = new ClientHistories(keySpace, connector, settings.guard(), connections::nodeOf);
        this.failures = new RedisExceptionTranslator(connector, settings);
        this.connector = connector;
        this.settings = settings;
        this.connections = connections;
        this.runner = new ScriptRunner(connections, failures);
        this.adminScripts = new AdminScripts(runner, keySpace, histories);
        this.renewScript = new RenewScript(runner, keySpace, histories, failures);
        this.releaseScript = new ReleaseScript(runner, keySpace);
        this.probe = new StoreProbe(connections::slots, key -> connections.nodeOf(keySpace.lockOf(key)), this::probe);
        this.probedKeys = keySpace.ofProbes();
        this.probeScript = new AcquireScript(runner, probedKeys, histories, failures, (unacknowledged, key) -> {});
        this.serverChecks = new ServerChecks(connections, connector, settings, keySpace);
        connections.checkFirst(opened -> {
            serverChecks.refuseSeveralMasters(opened);
            layout.decide(opened);
        });
        this.acknowledgement = connector.isCluster()
                        || settings.guard().isOff()
                        || settings.guard().isDurable()
                ? Optional.empty()
                : Optional.of(
                        new TakeoverAcknowledgement(connector, histories.ofAll().takeoversKey(), settings));
        this.heartbeat = acknowledgement.map(known -> heartbeat(histories.ofAll(), known));
        this.acquireScript = new AcquireScript(
                runner,
                keySpace,
                histories,
                failures,
                (unacknowledged, key) -> acknowledgement.ifPresent(known -> known.begin(unacknowledged, key)));
    }

    private RedisHeartbeat heartbeat(ServerHistory history, TakeoverAcknowledgement known) {
        TakeoverCondition condition =
                connector.hasReplicas() ? TakeoverCondition.ACKNOWLEDGED_BY_REPLICAS : TakeoverCondition.NONE;
        return new RedisHeartbeat(
                runner,
                connections,
                keySpace,
                new RedisHeartbeat.HeartbeatTerms(history, settings.commandTimeout(), condition),
                known);
    }

    /**
     * Connects and checks that the server executes all commands of the scripts. Blocks. After a failure, the next
     * command connects again. Closed backends stay closed.
     *
     * @throws RedisUnavailableException if there is no connection, or a right is missing
     * @throws SeveralMastersException if other masters accept writes to the same keys; all commands are rejected then
     */
    public void start() {
        connections.start();
        acknowledgement.ifPresent(TakeoverAcknowledgement::start);
        StartCheck check = new StartCheck(connections, connector, keySpace, histories, runner, failures);
        open();
        try {
            check.run();
        } catch (RedisUnavailableException e) {
            if (!isTimeout(e)) {
                throw e;
            }
            check.run(); // as in open()
        }
        BlockingWait.awaitUninterruptibly(serverChecks.look());
        heartbeat.ifPresent(
                known -> BlockingWait.awaitUninterruptibly(known.checkRight().toCompletableFuture()));
    }

    /** Retries one timeout: on a starting JVM, loading classes may use up the time for the server's answer. */
    private void open() {
        connections
                .open(keySpace.history())
                .flatMap(failure -> isTimeout(failure) ? connections.open(keySpace.history()) : Optional.of(failure))
                .ifPresent(failure -> {
                    connections.refusal().ifPresent(several -> {
                        throw several;
                    });
                    throw StartCheck.unavailable(failures.ofConnecting(failure));
                });
    }

    private static boolean isTimeout(Throwable failure) {
        return ExceptionCauses.reasonsOf(failure).anyMatch(RedisCommandTimeoutException.class::isInstance);
    }

    /**
     * Risks for locks in the configuration, the user's rights, and the servers' settings as of the last {@link #start}
     * or {@link #state}. Returns at once.
     *
     * @return a text with a remedy for each; empty if none is known
     */
    public List<String> warnings() {
        List<String> ofServers = Stream.concat(ofSignals().stream(), serverChecks.warnings().stream())
                .toList();
        String degraded = this + UNNAMED_HISTORY + ": the history guard detects a restart without data, but not a"
                + " failover or a restart with old data. Give the user the right +info";
        return guard() == Guard.DEGRADED
                ? Stream.concat(Stream.of(degraded), ofServers.stream()).toList()
                : ofServers;
    }

    private Optional<String> ofSignals() {
        String retry = "retry after up to distributed-lock.retry.max-delay";
        String refused = this + " refuses PUBLISH inside scripts";
        return switch (runner.signals()) {
            case BY_SCRIPT -> Optional.empty();
            case BY_CLIENT ->
                Optional.of(refused + ", so this client publishes the signals of its releases (signals by-client):"
                        + " callers whose signal gets lost " + retry + ". Nothing has to be done");
            case NONE ->
                Optional.of(refused + ", and by this client too (signals none): callers that wait for another instance "
                        + retry + ". Use a server or proxy whose scripts may publish");
        };
    }

    /**
     * Closes the connections, even one being opened, and rejects commands as not sent until {@link #start}. Blocks for
     * at most about 5 s.
     */
    public void stop() {
        acknowledgement.ifPresent(TakeoverAcknowledgement::stop);
        connections.stop();
    }

    /** {@return whether the history guard works, according to the last {@link #start} and all answers since} */
    public Guard guard() {
        return histories.guard();
    }

    /**
     * {@return the server's replication id as of the last {@link #start}; empty if unknown or not readable by this
     * user}
     * <p>Servers share one only if they replicate each other, so two backends with the same id lead to the same server.
     */
    public Optional<String> historyName() {
        return histories.name();
    }

    @Override
    public CompletionStage<AcquireResult> attemptAcquire(AcquireCommand command) {
        return queueOf(command.key())
                .attempt(acquireScript, command)
                .thenCompose(found -> acquireScript.completed(command, found));
    }

    @Override
    public CompletionStage<Vote> vote(AcquireCommand command) {
        // In order: a release may follow the quorum's decision before this node answers.
        return queueOf(command.key()).inOrder(() -> acquireScript.vote(command));
    }

    private CallQueue queueOf(String key) {
        String node =
                connector.isCluster() ? connections.nodeOf(keySpace.lockOf(key)).orElse("") : "";
        CallQueue known = queues.get(node);
        return known == null
                ? queues.computeIfAbsent(
                        node, any -> new CallQueue(connector.loop(), settings.commandTimeout(), connector::nanoTime))
                : known;
    }

    @Override
    public List<CompletionStage<RenewResult>> renewLeases(List<RenewCommand> commands) {
        return connector.isCluster()
                ? commands.stream()
                        .map(command -> queueOf(command.key()).inOrder(renewScript, command))
                        .toList()
                : queueOf("").inOrder(renewScript, commands);
    }

    @Override
    public CompletionStage<ReleaseResult> releaseToken(ReleaseCommand command) {
        CallQueue queue = queueOf(command.key());
        return command.slots().count() == 1 || ReleaseScript.isOfReader(command)
                ? queue.inOrder(releaseScript, command)
                : queue.inOrder(() -> releaseScript.sendToAll(command));
    }

    @Override
    public CompletionStage<StoredLock> inspect(String key, int slot) {
        return adminScripts.inspect(key, slot);
    }

    @Override
    public CompletionStage<Revocation> revoke(String key, int slot, long fencingToken) {
        return adminScripts.revoke(key, slot, fencingToken);
    }

    /**
     * {@inheritDoc} Acquires a lock of its own, which expires at once, in a cluster one on each master; connects if
     * necessary. The servers' settings are those of an earlier check; a new check runs in the background.
     */
    @Override
    public CompletionStage<StoreState> state() {
        return probe.ask().thenApply(found -> {
            // Settings may change, and the start may have failed. No caller waits for this.
            if (found.failure().isEmpty()) {
                serverChecks.look();
                heartbeat.ifPresent(RedisHeartbeat::checkRight);
            }
            StoreState state = new StoreState(
                    toString(),
                    found.failure(),
                    Duration.ZERO,
                    guard(),
                    connections.hearsSignals() && runner.signals() != Signals.NONE,
                    Stream.concat(found.warnings().stream(), warnings().stream())
                            .toList(),
                    found.nodes());
            return histories
                    .recovery()
                    .map(recovery -> state.recovering(recovery.remaining(), recovery.problem()))
                    .orElse(state);
        });
    }

    @Override
    public CompletionStage<Map<String, String>> diagnosis() {
        return new ServerDiagnosis(connections, connector, keySpace, failures)
                .ask(settings.guard().grace());
    }

    /** An attempt, since a server may answer every look and refuse each grant; and a write, for a recovering one. */
    private CompletionStage<Optional<String>> probe(String key) {
        String written = probedKeys.lockOf(key);
        LockToken token = new LockToken(UUID.randomUUID().toString().replace("-", ""), 1);
        return probeScript
                .refusalOf(new AcquireCommand(key, token, PROBE_LEASE, 0, 1, Optional.empty()))
                .thenCompose(refusal -> {
                    RedisLink link = connections.current(written);
                    return link == null || refusal.isPresent()
                            ? CompletableFuture.completedFuture(refusal)
                            : link.ask(CommandType.SET, new StatusOutput<>(StringCodec.UTF8), written, "", "PX", "1")
                                    .handle((done, failure) -> Optional.ofNullable(failure)
                                            .map(failures::ofExecuting)
                                            .map(RedisFailure::reason));
                });
    }

    /** {@inheritDoc} Empty in a cluster and without a grace period; without answers on shards behind one address. */
    @Override
    public Optional<CrashDetection> crashDetection() {
        return heartbeat.map(CrashDetection.class::cast);
    }

    @Override
    public CrashTakeover crashTakeover() {
        if (keySpace.isPerSlot()) {
            return CrashTakeover.off(connector.isCluster() ? OF_CLUSTER : OF_SHARDS);
        }
        if (settings.guard().isOff()) {
            return CrashTakeover.off(UNGUARDED);
        }
        if (settings.guard().isDurable()) {
            return CrashTakeover.off(DURABLE);
        }
        return guard() == Guard.DEGRADED
                ? CrashTakeover.off(DEGRADED)
                : heartbeat.flatMap(RedisHeartbeat::refusal).map(this::refused).orElseGet(this::unlessUnacknowledged);
    }

    private CrashTakeover unlessUnacknowledged() {
        return heartbeat.filter(RedisHeartbeat::isUnacknowledged).isPresent() ? UNACKNOWLEDGED : CrashTakeover.ON;
    }

    private CrashTakeover refused(ServerError refusal) {
        return new CrashTakeover(
                CrashTakeover.State.OFF,
                "The user of Redis at " + connector.target().name() + REFUSED + refusal.text(),
                new RequiredRights(settings).remedyOf(refusal));
    }

    @Override
    public boolean isSilence(Throwable failure) {
        return RedisExceptionTranslator.isSilence(failure);
    }

    @Override
    public Optional<String> serverOf(String key) {
        return connector.isCluster()
                ? connections.nodeOf(keySpace.lockOf(key)).map(node -> "Redis at " + node)
                : Optional.empty();
    }

    /**
     * {@inheritDoc} Subscribes before any further command is sent.
     *
     * @throws IllegalStateException for another listener than the first, since two engines on one backend would share
     *     an instance id
     */
    @Override
    public void listen(String instanceId, SignalListener listener) {
        heartbeat.ifPresent(known -> known.ofInstance(instanceId));
        acknowledgement.ifPresent(known -> known.report(key -> listener.onSignal(key, 0)));
        histories.reportTo(listener::onStoreEvent);
        connections.subscribe(new SignalMailbox(
                keySpace.mailboxOf(instanceId), listener, () -> !keySpace.isPerSlot(), this::onPulse));
    }

    private void onPulse() {
        layout.keep(connections.current(keySpace.history()));
        connections.servers(); // opens the connections to new masters of a cluster, which the next check asks
        renewScript.check();
        serverChecks.compareGrace();
    }

    @Override
    public String toString() {
        return "Redis at " + connector.target().name();
    }

    @Override
    public void close() {
        acknowledgement.ifPresent(TakeoverAcknowledgement::close);
        connections.close();
        connector.close();
    }
}
