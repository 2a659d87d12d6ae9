package io.github.lockstarter.redis.connector;

import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Connects to the master among several servers. Signals arrive from the server that commands connected to last: {@code
 * master}, set by the thread that opens connections.
 */
abstract class MasterConnector extends LettuceConnector<RedisClient> {

    private volatile @Nullable RedisURI master;

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
        return found.connection;
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
