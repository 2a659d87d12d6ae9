package io.github.lockstarter.simulation.net;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.Replication;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.github.lockstarter.simulation.time.VirtualExecutor;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.LongSupplier;

/** Opens connections over the simulated network. Whoever opens one blocks for no virtual time, unless it fails. */
public final class SimConnector implements RedisConnector {

    private final Endpoint endpoint;
    private final ServerGroup servers;
    private final VirtualExecutor opener;

    /**
     * A connector of one client.
     *
     * @param threads delays in ns until a thread runs
     * @param servers all servers
     */
    public SimConnector(Endpoint endpoint, LongSupplier threads, ServerGroup servers) {
        this.endpoint = endpoint;
        this.servers = servers;
        this.opener = new VirtualExecutor(endpoint.time(), endpoint.client(), threads);
    }

    @Override
    public StatefulConnection<String, String> connect() {
        return open().forCommands();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return open().forMessages();
    }

    private LettuceConnection open() {
        try {
            return new LettuceConnection(endpoint);
        } catch (RedisConnectionException e) {
            opener.block(endpoint.commandTimeout().toNanos());
            throw e;
        }
    }

    @Override
    public ScheduledExecutorService loop() {
        return endpoint.scheduler();
    }

    @Override
    public long nanoTime() {
        return endpoint.time().nanos();
    }

    @Override
    public ExecutorService opener() {
        return opener;
    }

    @Override
    public Target target() {
        return new Target("simulation", false, RedisSetup.APPLICATION);
    }

    @Override
    public boolean isPromotedBySentinels() {
        return hasReplicas();
    }

    @Override
    public boolean hasReplicas() {
        return servers.hasReplicas();
    }

    @Override
    public CompletionStage<Boolean> haveAll(Replication written) {
        return servers.haveAll(endpoint, written);
    }

    @Override
    public void close() {}
}
