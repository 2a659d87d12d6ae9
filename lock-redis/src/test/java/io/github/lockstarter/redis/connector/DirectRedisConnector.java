package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.ClientOptions;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.internal.HostAndPort;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.resource.Delay;
import io.lettuce.core.resource.DnsResolvers;
import io.lettuce.core.resource.MappingSocketAddressResolver;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.UnaryOperator;

/** Connects without Spring, for tests and their child JVMs. */
public final class DirectRedisConnector implements RedisConnector {

    /** Made by the first client that uses them. */
    private static final class Shared {

        /** Of all clients of this JVM without a route; their threads end with it. Others have their own. */
        private static final LockClientResources RESOURCES = newResources(UnaryOperator.identity());
    }

    private final LockClientResources resources;
    private final boolean shared;
    private final AbstractRedisClient client;
    private final RedisConnector connector;

    /**
     * Prepares connections to a server, or to the master according to sentinels.
     *
     * @param uri address and credentials
     */
    public DirectRedisConnector(RedisURI uri, RedisSettings settings) {
        this(uri, settings, settings.tune(ClientOptions.create()));
    }

    /**
     * Prepares connections to a server, or to the master according to sentinels, through proxies.
     *
     * @param uri address and credentials
     * @param route maps a server to its proxy
     */
    public DirectRedisConnector(RedisURI uri, RedisSettings settings, UnaryOperator<HostAndPort> route) {
        this(uri, settings, settings.tune(ClientOptions.create()), Optional.of(route));
    }

    /** Prepares connections with other options than the tuned ones. */
    public DirectRedisConnector(RedisURI uri, RedisSettings settings, ClientOptions options) {
        this(uri, settings, options, Optional.empty());
    }

    private DirectRedisConnector(
            RedisURI uri, RedisSettings settings, ClientOptions options, Optional<UnaryOperator<HostAndPort>> route) {
        this.resources = route.map(DirectRedisConnector::newResources).orElseGet(() -> Shared.RESOURCES);
        this.shared = route.isEmpty();
        RedisClient toServer = client(uri, settings, options);
        this.client = toServer;
        this.connector = uri.getSentinels().isEmpty()
                ? RedisConnectors.toServer(toServer, named(targetOf(uri)), this::closeClient)
                : RedisConnectors.toMasterOf(toServer, uri, named(targetOf(uri)), this::closeClient);
    }

    private DirectRedisConnector(
            List<RedisURI> uris, RedisSettings settings, boolean cluster, Optional<UnaryOperator<HostAndPort>> route) {
        this.resources = route.map(DirectRedisConnector::newResources).orElseGet(() -> Shared.RESOURCES);
        this.shared = route.isEmpty();
        uris.forEach(uri -> uri.setTimeout(settings.commandTimeout()));
        String target =
                uris.stream().map(DirectRedisConnector::targetOf).toList().toString();
        if (cluster) {
            RedisClusterClient toCluster = RedisClusterClient.create(resources.resources(), uris);
            toCluster.setOptions(settings.tuneCluster(ClientOptions.create()));
            this.client = toCluster;
            this.connector = RedisConnectors.toCluster(toCluster, named(target), this::closeClient);
        } else {
            RedisClient toServers = client(uris.get(0), settings, settings.tune(ClientOptions.create()));
            this.client = toServers;
            this.connector = RedisConnectors.toMasterAmong(toServers, uris, named(target), this::closeClient);
        }
    }

    /**
     * Prepares connections to the nodes of a cluster.
     *
     * @param nodes addresses of some nodes, and credentials
     */
    public static DirectRedisConnector toCluster(List<RedisURI> nodes, RedisSettings settings) {
        return new DirectRedisConnector(nodes, settings, true, Optional.empty());
    }

    /**
     * Prepares connections to the nodes of a cluster, through proxies.
     *
     * @param nodes addresses of some nodes, and credentials
     * @param route maps a node to its proxy
     */
    public static DirectRedisConnector toCluster(
            List<RedisURI> nodes, RedisSettings settings, UnaryOperator<HostAndPort> route) {
        return new DirectRedisConnector(nodes, settings, true, Optional.of(route));
    }

    /**
     * Prepares connections to the master among several servers.
     *
     * @param servers addresses and credentials
     */
    public static DirectRedisConnector toMasterAmong(List<RedisURI> servers, RedisSettings settings) {
        return new DirectRedisConnector(servers, settings, false, Optional.empty());
    }

    /**
     * Prepares connections to the master among several servers, through proxies.
     *
     * @param servers addresses and credentials
     * @param route maps a server to its proxy
     */
    public static DirectRedisConnector toMasterAmong(
            List<RedisURI> servers, RedisSettings settings, UnaryOperator<HostAndPort> route) {
        return new DirectRedisConnector(servers, settings, false, Optional.of(route));
    }

    @Override
    public StatefulConnection<String, String> connect() {
        return connector.connect();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return connector.connectPubSub();
    }

    @Override
    public ScheduledExecutorService loop() {
        return connector.loop();
    }

    @Override
    public boolean isCluster() {
        return connector.isCluster();
    }

    @Override
    public boolean mayBeSharded() {
        return connector.mayBeSharded();
    }

    @Override
    public boolean hasReplicas() {
        return connector.hasReplicas();
    }

    @Override
    public CompletionStage<Boolean> haveAll(Replication written) {
        return connector.haveAll(written);
    }

    @Override
    public boolean hasStaticNodes() {
        return connector.hasStaticNodes();
    }

    @Override
    public void lookForAnotherMaster(Runnable found) {
        connector.lookForAnotherMaster(found);
    }

    @Override
    public String masterAddress() {
        return connector.masterAddress();
    }

    @Override
    public void refresh() {
        connector.refresh();
    }

    @Override
    public Target target() {
        return connector.target();
    }

    @Override
    public void close() {
        connector.close();
    }

    private static LockClientResources newResources(UnaryOperator<HostAndPort> route) {
        return new LockClientResources(own -> own.reconnectDelay(Delay.constant(Duration.ofMillis(20)))
                .socketAddressResolver(MappingSocketAddressResolver.create(DnsResolvers.UNRESOLVED, route)));
    }

    private RedisClient client(RedisURI uri, RedisSettings settings, ClientOptions options) {
        uri.setTimeout(settings.commandTimeout());
        RedisClient client = RedisClient.create(resources.resources(), uri);
        client.setOptions(options);
        return client;
    }

    private static String targetOf(RedisURI uri) {
        return uri.getSentinels().isEmpty()
                ? uri.getHost() + ":" + uri.getPort()
                : uri.getSentinels().toString();
    }

    private static RedisConnector.Target named(String target) {
        return new RedisConnector.Target(target, false, RedisSetup.APPLICATION);
    }

    private void closeClient() {
        client.shutdown(Duration.ZERO, Duration.ofSeconds(2));
        if (!shared) {
            resources.close();
        }
    }
}
