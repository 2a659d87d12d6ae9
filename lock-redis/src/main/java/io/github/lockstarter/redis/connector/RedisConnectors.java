package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.connector.RedisConnector.Target;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.RedisClusterClient;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;

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

        @Override
        public boolean mayBeSharded() {
            return true;
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

    /**
     * Asks the servers for their roles. Two masters are refused: a choice between them by any rule would be wrong for
     * the clients that are connected to the other one.
     */
    private static final class MasterByRole extends MasterConnector {

        private final List<RedisURI> servers;

        MasterByRole(RedisClient client, List<RedisURI> servers, Target target, Runnable closing) {
            super(client, target, closing);
            this.servers = List.copyOf(servers);
        }

        @Override
        Master connectToMaster() {
            List<Master> found = ParallelQuery.results(
                    servers.stream().map(this::ask).toList(),
                    servers.get(0).getTimeout(),
                    masters -> masters.size() > 1,
                    MasterByRole::close,
                    () -> "no server answers as a master");
            if (found.size() > 1) {
                found.forEach(MasterByRole::close);
                throw new SeveralMastersException(
                        found.stream().map(master -> address(master.uri())).collect(Collectors.joining(" and "))
                                + " report that they are the master",
                        "Demote all but one of them (REPLICAOF): locks on two masters do not exclude each other");
            }
            return found.get(0);
        }

        private static void close(Master master) {
            master.connection().closeAsync();
        }

        private static String address(RedisURI server) {
            return server.getHost() + ':' + server.getPort();
        }

        @Override
        public boolean hasStaticNodes() {
            return servers.size() > 1;
        }

        @Override
        public void lookForAnotherMaster(Runnable found) {
            RedisURI chosen = master();
            servers.stream().filter(server -> !server.equals(chosen)).forEach(server -> ask(server)
                    .thenAccept(answer -> answer.ifPresent(another -> {
                        close(another);
                        found.run();
                    })));
        }

        @Override
        public CompletionStage<Boolean> haveAll(Replication written) {
            return haveAll(servers, written);
        }

        private CompletionStage<Optional<Master>> ask(RedisURI server) {
            // Not thrown: that would leak the connections to other servers.
            return BackendGuard.stageOf(() -> client.connectAsync(StringCodec.UTF8, server)
                    .thenCompose(connection -> asked(connection, new Master(connection, server))));
        }

        private static CompletionStage<Optional<Master>> asked(
                StatefulRedisConnection<String, String> connection, Master master) {
            return connection.async().role().handle((role, failure) -> {
                if (failure == null && !role.isEmpty() && "master".equals(role.get(0))) {
                    return Optional.of(master);
                }
                connection.closeAsync();
                if (failure != null) {
                    throw new CompletionException(failure);
                }
                return Optional.empty();
            });
        }
    }
}
