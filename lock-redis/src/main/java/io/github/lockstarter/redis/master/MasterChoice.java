package io.github.lockstarter.redis.master;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/** Finds the master among several servers. */
public interface MasterChoice {

    /**
     * Connects to the master. Blocks.
     *
     * @throws RedisException if no master answers in time
     */
    Master connect();

    /** Whether another server may become the master. */
    boolean hasReplicas();

    /**
     * Whether each server that may become the master has replicated {@code written}. Thread-safe; returns at once.
     *
     * @return false or an exception if a server cannot be reached
     */
    CompletionStage<Boolean> haveAll(Replication written);

    static CompletionStage<Boolean> haveAll(RedisClient client, Collection<RedisURI> servers, Replication written) {
        CompletionStage<Boolean> all = CompletableFuture.completedFuture(true);
        for (RedisURI server : servers) {
            all = all.thenCombine(has(client, server, written), Boolean::logicalAnd);
        }
        return all;
    }

    private static CompletionStage<Boolean> has(RedisClient client, RedisURI server, Replication written) {
        try {
            return client.connectAsync(StringCodec.UTF8, server).thenCompose(connection -> connection
                    .async()
                    .info("replication")
                    .thenApply(info -> Replication.of(info).hasAll(written))
                    .whenComplete((has, failure) -> connection.closeAsync()));
        } catch (RuntimeException e) {
            return CompletableFuture.failedFuture(e);
        }
    }

    /**
     * A connected master.
     *
     * @param connection open, for commands
     * @param uri for further connections
     */
    record Master(StatefulRedisConnection<String, String> connection, RedisURI uri) {}
}
