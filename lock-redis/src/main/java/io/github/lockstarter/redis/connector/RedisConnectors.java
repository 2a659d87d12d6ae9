package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.master.MasterByRole;
import io.github.lockstarter.redis.master.MasterBySentinel;
import io.github.lockstarter.redis.master.MasterChoice;
import io.github.lockstarter.redis.master.Replication;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.AbstractRedisClient;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Connectors over Lettuce's clients, one per topology. The clients have {@linkplain RedisSettings#tune tuned} options.
 */
public final class RedisConnectors {

    private RedisConnectors() {}

    /**
     * Where connections lead, for messages.
     *
     * @param name such as {@code localhost:6379}, without any password
     * @param isEncrypted whether they use TLS
     * @param setup the properties that say where they lead
     */
    public record Target(String name, boolean isEncrypted, RedisSetup setup) {}

    /**
     * Connects to one server.
     *
     * @param client knows where
     * @param target where
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toServer(RedisClient client, Target target, Runnable closing) {
        return new ToServer(client, target, closing);
    }

    /**
     * Connects to the one of several servers that says that it is the master. All are asked at the same time.
     *
     * @param client opens the connections
     * @param servers where each is, and how to log in; their timeout is the command timeout
     * @param target where the servers are
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toMasterAmong(
            RedisClient client, List<RedisURI> servers, Target target, Runnable closing) {
        return new ToMaster(client, new MasterByRole(client, servers), target, closing);
    }

    /**
     * Connects to the master that sentinels name. All are asked at the same time.
     *
     * @param client opens the connections
     * @param sentinels where they are, how to log in there and at the master, and what they call it; its timeout is the
     *     command timeout
     * @param target where the sentinels are
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toMasterOf(RedisClient client, RedisURI sentinels, Target target, Runnable closing) {
        return new ToMaster(client, new MasterBySentinel(client, sentinels), target, closing);
    }

    /**
     * Connects to the nodes of a cluster.
     *
     * @param client knows some of the nodes
     * @param target where these nodes are
     * @param closing closes the client
     * @return the connector
     */
    public static RedisConnector toCluster(RedisClusterClient client, Target target, Runnable closing) {
        return new ToCluster(client, target, closing);
    }

    /** What the connectors have in common. */
    private abstract static class LettuceConnector<C extends AbstractRedisClient> implements RedisConnector {

        final C client;
        private final Target target;
        private final Runnable closing;

        LettuceConnector(C client, Target target, Runnable closing) {
            this.client = client;
            this.target = target;
            this.closing = closing;
        }

        @Override
        public final ScheduledExecutorService timer() {
            return client.getResources().eventExecutorGroup();
        }

        @Override
        public final String target() {
            return target.name;
        }

        @Override
        public final RedisSetup setup() {
            return target.setup;
        }

        @Override
        public final boolean isEncrypted() {
            return target.isEncrypted;
        }

        @Override
        public final void close() {
            closing.run();
        }
    }

    /** One server, or wherever the client's own URI leads. */
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

    /**
     * One of several servers. Signals come from the server that commands were connected to last: {@code master}, which
     * the thread that opens connections sets.
     */
    private static final class ToMaster extends LettuceConnector<RedisClient> {

        private final MasterChoice choice;
        private volatile @Nullable RedisURI master;

        ToMaster(RedisClient client, MasterChoice choice, Target target, Runnable closing) {
            super(client, target, closing);
            this.choice = choice;
        }

        @Override
        public StatefulConnection<String, String> connect() {
            MasterChoice.Master found = choice.connect();
            master = found.uri();
            return found.connection();
        }

        @Override
        public StatefulRedisPubSubConnection<String, String> connectPubSub() {
            RedisURI known = master;
            if (known == null) {
                throw new RedisException("no master is known yet");
            }
            return client.connectPubSub(StringCodec.UTF8, known);
        }

        @Override
        public boolean isPromotedBySentinels() {
            return choice instanceof MasterBySentinel;
        }

        @Override
        public boolean hasReplicas() {
            return choice.hasReplicas();
        }

        @Override
        public CompletionStage<Boolean> haveAll(String history, long offset) {
            return choice.haveAll(new Replication(history, offset, 0));
        }
    }

    /**
     * The nodes of a cluster. {@code refreshing} is true while the nodes are being asked, so that many failures ask
     * once.
     */
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
