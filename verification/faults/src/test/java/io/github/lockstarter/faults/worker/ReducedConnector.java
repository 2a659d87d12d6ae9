package io.github.lockstarter.faults.worker;

import io.github.lockstarter.redis.connector.DirectRedisConnector;
import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;

/** Controls: connectors that lack a guard. */
final class ReducedConnector implements RedisConnector {

    private final List<? extends RedisConnector> servers;
    private final boolean once;
    private final AtomicReference<RedisConnector> chosen = new AtomicReference<>();

    private ReducedConnector(List<? extends RedisConnector> servers, boolean once) {
        this.servers = servers;
        this.once = once;
    }

    /** Takes the first server of the list that reports the role of a master, and never looks for another one. */
    static RedisConnector toFirstMaster(List<RedisURI> servers, RedisSettings settings) {
        return new ReducedConnector(
                servers.stream()
                        .map(server -> new DirectRedisConnector(server, settings, UnaryOperator.identity()))
                        .toList(),
                false);
    }

    /** Opens no connection for commands in place of the first one. */
    static RedisConnector connectingOnce(RedisConnector connector) {
        return new ReducedConnector(List.of(connector), true);
    }

    @Override
    public StatefulConnection<String, String> connect() {
        if (once && chosen.get() != null) {
            throw new RedisException("the first connection is not replaced");
        }
        for (RedisConnector server : servers) {
            StatefulConnection<String, String> connection = server.connect();
            if (!(connection instanceof StatefulRedisConnection<String, String> single)
                    || "master".equals(single.sync().role().get(0))) {
                chosen.set(server);
                return connection;
            }
            connection.close();
        }
        throw new RedisException("no server is a master");
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        return chosen.get().connectPubSub();
    }

    @Override
    public ScheduledExecutorService loop() {
        return servers.get(0).loop();
    }

    @Override
    public Target target() {
        return servers.get(0).target();
    }

    @Override
    public boolean isCluster() {
        return servers.get(0).isCluster();
    }

    @Override
    public void close() {
        servers.forEach(RedisConnector::close);
    }
}
