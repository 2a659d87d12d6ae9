package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.redis.settings.RedisSetup;
import io.github.lockstarter.spi.LockThreads;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ScheduledExecutorService;

/**
 * Opens the lock's own connections to Redis, with options {@linkplain RedisSettings#tune tuned} for locks. Both methods
 * block, for a few command timeouts at most, and are never called on an event loop. Callers of locks wait for their own
 * time only, and not for the end of an attempt.
 */
public interface RedisConnector extends AutoCloseable {

    /**
     * Opens the connection that commands travel on.
     *
     * @return an open connection with the UTF-8 string codec that reconnects by itself
     * @throws RuntimeException when it cannot be opened
     */
    StatefulConnection<String, String> connect();

    /**
     * Opens the connection that signals arrive on.
     *
     * @return an open connection with the UTF-8 string codec that reconnects and re-subscribes by itself
     * @throws RuntimeException when it cannot be opened
     */
    StatefulRedisPubSubConnection<String, String> connectPubSub();

    /**
     * Runs what has to happen at a time: callers that wait for a connection are answered there when their time is over.
     *
     * @return the executor of the client, whose tasks return at once; closed with the client
     */
    ScheduledExecutorService timer();

    /**
     * Reads the monotonic clock that the {@link #timer} runs on.
     *
     * @return nanoseconds since some origin: {@link System#nanoTime()} by default
     */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * Makes an executor that opens connections one after the other: that blocks, and may run code of the application,
     * such as a provider of credentials. So its thread has the context class loader of the thread that calls this.
     *
     * @return the executor, which the caller closes
     */
    default ExecutorService opener() {
        return LockThreads.pool(
                "lock-redis-connect",
                1,
                Duration.ofSeconds(1),
                Thread.currentThread().getContextClassLoader());
    }

    /**
     * Where the connections lead, for messages.
     *
     * @return such as {@code localhost:6379}, without any password
     */
    String target();

    /**
     * What led there, for messages.
     *
     * @return the properties of the application's Redis, unless it is another one
     */
    default RedisSetup setup() {
        return RedisSetup.APPLICATION;
    }

    /**
     * Whether the connections use TLS, for messages: what a wrong port answers differs.
     *
     * @return false unless it is known
     */
    default boolean isEncrypted() {
        return false;
    }

    /**
     * Whether the servers are the nodes of a cluster. Then {@link #connect} gives a cluster connection, and a publisher
     * is told only of the listeners at its own node.
     *
     * @return false for one server, also if others stand in for it
     */
    default boolean isCluster() {
        return false;
    }

    /**
     * Whether sentinels decide which server is the master. Then the one before may go on as a master for a while.
     *
     * @return false where no server is promoted, or sentinels do not decide it
     */
    default boolean isPromotedBySentinels() {
        return false;
    }

    /**
     * Whether another server may become the master. Then each of them has to acknowledge the take-over of a lock.
     *
     * @return false for one server, and for a cluster, where no lock is taken over
     */
    default boolean hasReplicas() {
        return false;
    }

    /**
     * Whether each server that may become the master, as the configuration or sentinels know it, has what the master
     * had written. Returns at once.
     *
     * @param history what the master calls its replication history
     * @param offset how much of it the master had written
     * @return completed with false where one of them cannot be reached, or the servers are not known; perhaps with an
     *     exception
     */
    default CompletionStage<Boolean> haveAll(String history, long offset) {
        return CompletableFuture.completedFuture(false);
    }

    /** Asks the nodes of a cluster again which of them has what; open connections follow. Returns at once. */
    default void refresh() {}

    /** Closes what the connector itself holds; connections are closed before. Idempotent. */
    @Override
    void close();
}
