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
 * Opens the lock's own connections with options {@linkplain RedisSettings#tune tuned} for locks. {@link #connect} and
 * {@link #connectPubSub} block for up to a few command timeouts, never on an event loop, and throw the client's
 * exception; lock callers wait only for their own timeout.
 */
public interface RedisConnector extends AutoCloseable {

    /**
     * Address and settings for messages.
     *
     * @param name such as {@code localhost:6379}, without a password
     * @param isEncrypted whether connections use TLS
     * @param setup properties that configure the address
     */
    record Target(String name, boolean isEncrypted, RedisSetup setup) {}

    /** {@return an open connection for commands, with the UTF-8 string codec and automatic reconnect} */
    StatefulConnection<String, String> connect();

    /** {@return an open connection for signals, with the UTF-8 string codec, automatic reconnect and resubscription} */
    StatefulRedisPubSubConnection<String, String> connectPubSub();

    /**
     * {@return an event loop of the client: one thread, whose tasks return at once and run in order; with {@link
     * LockClientResources}, the loop of all connections}
     */
    ScheduledExecutorService loop();

    /** {@return the monotonic clock of the {@link #loop} in nanoseconds, {@link System#nanoTime()} by default} */
    default long nanoTime() {
        return System.nanoTime();
    }

    /**
     * {@return an executor that opens connections one at a time, closed by the caller; its thread gets the context
     * class loader of the caller, since opening may run application code, such as a credentials provider}
     */
    default ExecutorService opener() {
        return LockThreads.pool(
                "lock-redis-connect",
                1,
                Duration.ofSeconds(1),
                Thread.currentThread().getContextClassLoader());
    }

    /** {@return the address and settings for messages} */
    Target target();

    /** {@return whether the servers form a cluster; then {@link #connect} returns a cluster connection} */
    default boolean isCluster() {
        return false;
    }

    /** {@return whether the address may lead to shards behind it, of which a command reaches one} */
    default boolean mayBeSharded() {
        return false;
    }

    /** {@return whether sentinels promote the master; then the old master may keep accepting writes for a while} */
    default boolean isPromotedBySentinels() {
        return false;
    }

    /** {@return whether another server may become the master; then each of them must acknowledge a takeover} */
    default boolean hasReplicas() {
        return isPromotedBySentinels() || hasStaticNodes();
    }

    /**
     * {@return whether each server that may become the master, by configuration or sentinels, has replicated this
     * position; false, or an exception, if a server cannot be reached or the servers are unknown}
     *
     * @param written position of the master
     */
    default CompletionStage<Boolean> haveAll(Replication written) {
        return CompletableFuture.completedFuture(false);
    }

    /** {@return whether {@link #connect} chooses the master among several configured servers by their roles} */
    default boolean hasStaticNodes() {
        return false;
    }

    /**
     * Asks the configured servers for their roles, except the one that {@link #connect} chose last. Returns at once.
     *
     * @param found runs once per master, as soon as it answers; a new connection is needed
     */
    default void lookForAnotherMaster(Runnable found) {}

    /** {@return the address of the master among several servers that commands go to; empty if unknown} */
    default String masterAddress() {
        return "";
    }

    /** Refreshes the cluster topology; open connections follow. Returns at once. */
    default void refresh() {}

    /** Closes the connector's own resources, after the connections. Idempotent. */
    @Override
    void close();
}
