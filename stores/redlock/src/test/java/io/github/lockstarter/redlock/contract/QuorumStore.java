package io.github.lockstarter.redlock.contract;

import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisQuorum;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.redis.RedisLockBackend;
import io.github.lockstarter.redis.connector.LockClientResources;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.RedisConnectors;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.github.lockstarter.redlock.RedlockBackend;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.QuorumNode;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.resource.ClientResources;
import io.lettuce.core.resource.Delay;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** A quorum of real servers. Each application has connections of its own, on threads that all share. */
public final class QuorumStore implements LockStore {

    /** Generous for two busy cores, and a fraction of the leases. */
    public static final Duration NODE_TIMEOUT = Duration.ofMillis(400);

    private static final ClientResources THREADS =
            new LockClientResources(own -> own.reconnectDelay(Delay.constant(Duration.ofMillis(20)))).resources();

    private final List<RedisURI> nodes;
    private final Duration longestLease;
    private final RedisSettings settings;
    private final UnaryOperator<QuorumNode> wrapping;
    private final List<RedisServer> majority;
    private final List<LockBackend> backends = new ArrayList<>();

    private QuorumStore(
            List<RedisURI> nodes,
            Duration longestLease,
            RedisSettings settings,
            UnaryOperator<QuorumNode> wrapping,
            List<RedisServer> majority) {
        this.nodes = nodes;
        this.longestLease = longestLease;
        this.settings = settings;
        this.wrapping = wrapping;
        this.majority = majority;
    }

    /** Servers that are not restarted. */
    public static QuorumStore of(RedisQuorum servers) {
        return of(servers, Patience.TIME);
    }

    /** The same, with another timeout of a node. */
    public static QuorumStore of(RedisQuorum servers, Duration timeout) {
        List<RedisServer> all = servers.servers();
        return of(
                all.stream().map(RedisServer::uri).toList(),
                Duration.ZERO,
                timeout,
                all.subList(0, all.size() / 2 + 1));
    }

    /** Nodes that recover for this long, including before their first use; this store cannot pause them. */
    public static QuorumStore of(List<RedisURI> nodes, Duration longestLease) {
        return of(nodes, longestLease, NODE_TIMEOUT, List.of());
    }

    private static QuorumStore of(
            List<RedisURI> nodes, Duration longestLease, Duration timeout, List<RedisServer> majority) {
        RedisSettings.HistoryGuard guard =
                new RedisSettings.HistoryGuard(longestLease, RedisSettings.FirstUse.GRACE, Duration.ZERO);
        return new QuorumStore(
                nodes, longestLease, new RedisSettings("lock:", timeout, guard), UnaryOperator.identity(), majority);
    }

    /** The same nodes without a grace period: they grant locks that they may have forgotten. */
    public QuorumStore withoutGrace() {
        return new QuorumStore(
                nodes,
                longestLease,
                new RedisSettings(
                        settings.keyPrefix(), settings.commandTimeout(), RedisSettings.HistoryGuard.of(Duration.ZERO)),
                wrapping,
                majority);
    }

    /** The same nodes, each behind something. */
    public QuorumStore behind(UnaryOperator<QuorumNode> other) {
        return new QuorumStore(nodes, longestLease, settings, other, majority);
    }

    @Override
    public LockBackend connect() {
        Duration least = settings.commandTimeout().multipliedBy(4);
        RedlockBackend backend = new RedlockBackend(
                nodes.stream().map(this::node).map(wrapping).toList(),
                longestLease.compareTo(least) < 0 ? least : longestLease);
        backends.add(backend);
        return backend;
    }

    @Override
    public boolean answersTheSameAgain() {
        return false;
    }

    @Override
    public boolean grantsToOneOfMany() {
        return false;
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return majority.isEmpty() ? Optional.empty() : Optional.of(settings.commandTimeout());
    }

    @Override
    public void pause() {
        majority.forEach(RedisServer::pause);
    }

    @Override
    public void resume() {
        majority.forEach(RedisServer::resume);
    }

    private QuorumNode node(RedisURI uri) {
        RedisURI own =
                RedisURI.builder(uri).withTimeout(settings.commandTimeout()).build();
        RedisClient client = RedisClient.create(THREADS, own);
        client.setOptions(settings.tune(ClientOptions.create()));
        return new RedisLockBackend(
                RedisConnectors.toServer(
                        client,
                        new RedisConnector.Target(uri.getHost() + ":" + uri.getPort(), false, RedisSetup.APPLICATION),
                        () -> client.shutdown(Duration.ZERO, Duration.ofSeconds(2))),
                settings);
    }

    @Override
    public void close() {
        backends.forEach(LockBackend::close);
    }
}
