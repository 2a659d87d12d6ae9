package io.github.lockstarter.redis;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** Connectors over Lettuce's clients, one per topology. The clients have {@linkplain RedisSettings#tune tuned} options. */
public final class RedisConnectors {

    private RedisConnectors() {}

    /**
     * Connects to one server, or to the master that sentinels name.
     *
     * @param client knows where
     * @param target where, for messages
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toServer(RedisClient client, String target, Runnable closing) {
        return new ToMaster(List.of(client), target, closing);
    }

    /**
     * Connects to the one of several servers that says that it is the master.
     *
     * @param clients one per server
     * @param target where the servers are, for messages
     * @param closing closes the clients
     * @return the connector
     */
    public static RedisConnector toMasterAmong(List<RedisClient> clients, String target, Runnable closing) {
        return new ToMaster(List.copyOf(clients), target, closing);
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

    /** {@code master} is the client of the server that commands were last connected to: signals come from there too. */
    private static final class ToMaster implements RedisConnector {

        private final List<RedisClient> clients;
        private final String target;
        private final Runnable closing;
        private volatile RedisClient master;

        ToMaster(List<RedisClient> clients, String target, Runnable closing) {
            this.clients = clients;
            this.target = target;
            this.closing = closing;
            this.master = clients.get(0);
        }

        @Override
        public StatefulConnection<String, String> connect() {
            return clients.size() == 1 ? master.connect(StringCodec.UTF8) : connectToMaster();
        }

        private StatefulConnection<String, String> connectToMaster() {
            RedisException failure = new RedisException("none of the servers answers as a master");
            for (RedisClient client : clients) {
                try {
                    StatefulRedisConnection<String, String> connection = masterOrNull(client);
                    if (connection != null) {
                        master = client;
                        return connection;
                    }
                } catch (RedisException e) {
                    failure.addSuppressed(e);
                }
            }
            throw failure;
        }

        private static @Nullable StatefulRedisConnection<String, String> masterOrNull(RedisClient client) {
            StatefulRedisConnection<String, String> connection = client.connect(StringCodec.UTF8);
            try {
                if ("master".equals(connection.sync().role().get(0))) {
                    return connection;
                }
            } catch (RuntimeException e) {
                connection.close();
                throw e;
            }
            connection.close();
            return null;
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            return master.connectPubSub(StringCodec.UTF8);
        }

        @Override
        public String target() {
            return target;
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
