package io.github.lockstarter.redis.connector;

import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the master among several servers. Signals arrive from the server that commands connected to last: {@code
 * master}, set by the thread that opens connections. Event loops set {@code addresses}.
 */
abstract class MasterConnector extends LettuceConnector<RedisClient> {

    private volatile @Nullable RedisURI master;
    private volatile @Nullable Object connection;

    /** By connection: the client chooses the server, even on its own when it reconnects. */
    private final Map<Object, String> addresses = Collections.synchronizedMap(new WeakHashMap<>());

    MasterConnector(RedisClient client, Target target, Runnable closing) {
        super(client, target, closing);
        client.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> opened, SocketAddress server) {
                addresses.put(opened, textOf(server));
            }
        });
    }

    abstract Master connectToMaster();

    final @Nullable RedisURI master() {
        return master;
    }

    @Override
    public final StatefulConnection<String, String> connect() {
        Master found = connectToMaster();
        master = found.uri;
        connection = found.connection;
        return found.connection;
    }

    private static String textOf(SocketAddress server) {
        return server instanceof InetSocketAddress address
                ? address.getHostString() + ':' + address.getPort()
                : server.toString();
    }

    @Override
    public final String masterAddress() {
        Object open = connection;
        return open == null ? "" : addresses.getOrDefault(open, "");
    }

    @Override
    public final StatefulRedisPubSubConnection<String, String> connectPubSub() {
        RedisURI known = master;
        if (known == null) {
            throw new RedisException("no master is known yet");
        }
        return client.connectPubSub(StringCodec.UTF8, known);
    }

    final CompletionStage<Boolean> haveAll(Collection<RedisURI> servers, Replication written) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (RedisURI server : servers) {
            all = all.thenCombine(has(server, written), Boolean::logicalAnd);
        }
        return all;
    }

    private CompletionStage<Boolean> has(RedisURI server, Replication written) {
        return BackendGuard.stageOf(
                () -> client.connectAsync(StringCodec.UTF8, server).thenCompose(connection -> connection
                        .async()
                        .info("replication")
                        .thenApply(info -> Replication.of(info).hasAll(written))
                        .whenComplete((has, failure) -> connection.closeAsync())));
    }

    record Master(StatefulRedisConnection<String, String> connection, RedisURI uri) {}
}
