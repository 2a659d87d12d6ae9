package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** Lettuce connectors, one per topology. Clients must have {@linkplain RedisSettings#tune tuned} options. */
public final class RedisConnectors {

    private RedisConnectors() {}

    /**
     * {@return a connector to the server of the client's own URI}
     *
     * @param client opens the connections
     * @param target for messages
     * @param closing closes the client
     */
    public static RedisConnector toServer(RedisClient client, Target target, Runnable closing) {
        return new ToServer(client, target, closing);
    }

    /**
     * {@return a connector to the server that reports the master role; asks all in parallel}
     *
     * @param client opens the connections
     * @param servers addresses with credentials and the command timeout
     * @param target for messages
     * @param closing closes the client
     */
    public static RedisConnector toMasterAmong(
            RedisClient client, List<RedisURI> servers, Target target, Runnable closing) {
        return new MasterByRole(client, servers, target, closing);
    }

    /**
     * {@return a connector to the master that sentinels report; asks all in parallel}
     *
     * @param client opens the connections
     * @param sentinels addresses with credentials, master name and the command timeout
     * @param target for messages
     * @param closing closes the client
     */
    public static RedisConnector toMasterOf(RedisClient client, RedisURI sentinels, Target target, Runnable closing) {
        return new MasterBySentinel(client, sentinels, target, closing);
    }

    /**
     * {@return a connector to the nodes of a cluster}
     *
     * @param client has seed nodes
     * @param target for messages
     * @param closing closes the client
     */
    public static RedisConnector toCluster(RedisClusterClient client, Target target, Runnable closing) {
        return new ToCluster(client, target, closing);
    }

    private static final class ToServer extends LettuceConnector<RedisClient> {

        ToServer(RedisClient client, Target target, Runnable closing) {
            super(client, target, closing);
        }

        @Override
        public StatefulConnection<String, String> connect() {
            return client.connect(StringCodec.UTF8);
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
        }
    }

    /** {@code refreshing} merges the refreshes that many failures request at once. */
    private static final class ToCluster extends LettuceConnector<RedisClusterClient> {

        private final AtomicBoolean refreshing = new AtomicBoolean();

        ToCluster(RedisClusterClient client, Target target, Runnable closing) {
            super(client, target, closing);
        }

        @Override
        public StatefulConnection<String, String> connect() {
            return client.connect(StringCodec.UTF8);
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return client.connectPubSub(StringCodec.UTF8);
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
    }
}
