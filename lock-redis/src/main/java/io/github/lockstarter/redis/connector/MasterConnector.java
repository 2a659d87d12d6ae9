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
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the master among several servers. Signals arrive from the server that commands connected to last: {@code
 * master}, set by the thread that opens connections. Event loops set {@code addresses} when the client reconnects.
 */
abstract class MasterConnector extends LettuceConnector<RedisClient> {

    private volatile @Nullable RedisURI master;
    private volatile Addresses addresses = new Addresses("", "");

    MasterConnector(RedisClient client, Target target, Runnable closing) {
        super(client, target, closing);
    }

    abstract Master connectToMaster();

    final @Nullable RedisURI master() {
        return master;
    }

    @Override
    public final StatefulConnection<String, String> connect() {
        Master found = connectToMaster();
        master = found.uri;
        addresses = addresses.next(found.address);
        found.connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisConnected(RedisChannelHandler<?, ?> connection, SocketAddress server) {
                addresses = addresses.next(textOf(server));
            }
        });
        return found.connection;
    }

    static String textOf(SocketAddress server) {
        return server instanceof InetSocketAddress address
                ? address.getHostString() + ':' + address.getPort()
                : server.toString();
    }

    @Override
    public final Optional<String> newMaster() {
        Addresses known = addresses;
        boolean hasChanged = !known.before.isEmpty() && !known.now.isEmpty() && !known.before.equals(known.now);
        return hasChanged ? Optional.of(known.now + " is the master now (was " + known.before + ')') : Optional.empty();
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

    /** Of the last two connections; empty if unknown. */
    private record Addresses(String before, String now) {

        Addresses next(String address) {
            return new Addresses(now, address);
        }
    }

    /** @param address empty if unknown */
    record Master(StatefulRedisConnection<String, String> connection, RedisURI uri, String address) {}
}
