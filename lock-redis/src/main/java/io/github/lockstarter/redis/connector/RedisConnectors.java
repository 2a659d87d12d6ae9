package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Connectors over Lettuce's clients, one per topology. The clients have {@linkplain RedisSettings#tune tuned} options.
 */
public final class RedisConnectors {

    private RedisConnectors() {}

    /**
     * Connects to one server.
     *
     * @param client knows where
     * @param target where, for messages
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toServer(RedisClient client, String target, Runnable closing) {
        return new ToServer(client, target, closing);
    }

    /**
     * Connects to the one of several servers that says that it is the master. All are asked at the same time.
     *
     * @param client opens the connections
     * @param servers where each is, and how to log in; their timeout is the command timeout
     * @param target where the servers are, for messages
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toMasterAmong(
            RedisClient client, List<RedisURI> servers, String target, Runnable closing) {
        return new MasterConnector(client, new MasterByRole(client, servers), target, closing);
    }

    /**
     * Connects to the master that sentinels name. All are asked at the same time.
     *
     * @param client opens the connections
     * @param sentinels where they are, how to log in there and at the master, and what they call it; its timeout is the
     *     command timeout
     * @param target where the sentinels are, for messages
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toMasterOf(RedisClient client, RedisURI sentinels, String target, Runnable closing) {
        return new MasterConnector(client, new MasterBySentinel(client, sentinels), target, closing);
    }

    /**
     * Connects to the nodes of a cluster.
     *
     * @param client knows some of the nodes
     * @param target where these nodes are, for messages
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toCluster(RedisClusterClient client, String target, Runnable closing) {
        return new ToCluster(client, target, closing, new AtomicBoolean());
    }

    /** One server, or whatever the client's own URI leads to. */
    private record ToServer(RedisClient client, String target, Runnable closing) implements RedisConnector {

        @Override
        public StatefulConnection<String, String> connect() {
            return client.connect(StringCodec.UTF8);
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
        }

        @Override
        public ScheduledExecutorService timer() {
            return client.getResources().eventExecutorGroup();
        }

        @Override
        public void close() {
            closing.run();
        }
    }

    /**
     * The nodes of a cluster.
     *
     * @param refreshing true while the nodes are being asked, so that many failures ask once
     */
    private record ToCluster(RedisClusterClient client, String target, Runnable closing, AtomicBoolean refreshing)
            implements RedisConnector {

        @Override
        public StatefulConnection<String, String> connect() {
            return client.connect(StringCodec.UTF8);
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
        }

        @Override
        public ScheduledExecutorService timer() {
            return client.getResources().eventExecutorGroup();
        }

        @Override
        public boolean isCluster() {
            return true;
        }

        @Override
        public void refresh() {
            if (refreshing.compareAndSet(false, true)) {
                client.refreshPartitionsAsync().whenComplete((done, failure) -> refreshing.set(false));
            }
        }

        @Override
        public void close() {
            closing.run();
        }
    }
}
