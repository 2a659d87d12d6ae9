package io.github.lockstarter.redis.master;

import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import java.util.Collection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;

/**
 * Finds the master among several servers, each of which is asked at the same time.
 */
public interface MasterChoice {

    /**
     * Connects to the master. Blocks.
     *
     * @return a connection, and where it leads
     * @throws RedisException when there is none that answers in time
     */
    Master connect();

    /** Whether there is more than one server that may be the master. */
    boolean hasReplicas();

    /**
     * Whether each server that may become the master has all that the master had written. Any thread asks; returns at
     * once.
     *
     * @param written what the master had written
     * @return completed with false, or an exception, where one of them cannot be reached
     */
    CompletionStage<Boolean> haveAll(Replication written);

    /** Whether all servers have it; for the implementations. */
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
     * A server that is the master.
     *
     * @param connection open, for commands
     * @param uri where further connections to it are opened
     */
    record Master(StatefulRedisConnection<String, String> connection, RedisURI uri) {}
}
