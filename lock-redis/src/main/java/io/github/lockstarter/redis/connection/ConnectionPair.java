package io.github.lockstarter.redis.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of a backend, one for commands and one for signals, each to as many servers as it needs. Both
 * reconnect by themselves.
 *
 * <p>{@code signals} is set by the thread that opens the connections, before others send on them.
 */
final class ConnectionPair implements AutoCloseable {

    private final StatefulConnection<String, String> commands;
    /** Leads to the one server; in a cluster, nothing is sent on it. */
    private final RedisLink link;

    /** Finds the node of a key in a cluster; null where there is one server. */
    private final @Nullable ClusterRouting nodes;

    private volatile @Nullable MailboxConnection signals;

    /**
     * Takes an open connection over.
     *
     * @param commands what commands travel on
     * @param onUnhealthy told when a server hangs, or does not take writes; returns at once
     * @param nanoTime the clock
     */
    ConnectionPair(
            StatefulConnection<String, String> commands, Consumer<ConnectionPair> onUnhealthy, LongSupplier nanoTime) {
        this.commands = Objects.requireNonNull(commands, "connection");
        Consumer<RedisLink> unfit = any -> onUnhealthy.accept(this);
        this.link = new RedisLink(commands, unfit, new AtomicInteger(), nanoTime);
        if (commands instanceof StatefulRedisClusterConnection<String, String> cluster) {
            this.nodes = new ClusterRouting(cluster, unfit, nanoTime);
            nodes.connectToAll();
        } else {
            this.nodes = null;
            link.watch(commands);
        }
    }

    /** The link to the server of a key; null if it is not open. */
    @Nullable
    RedisLink to(String key) {
        return nodes == null ? link : nodes.to(key);
    }

    /** The address of the node of a cluster that has a key; empty as long as none is known. */
    Optional<String> nodeOf(String key) {
        return nodes == null ? Optional.empty() : nodes.nodeOf(key);
    }

    /** Links to all servers that have keys, each as soon as it is open, by the address of a node of a cluster. */
    Map<String, CompletableFuture<RedisLink>> toAll() {
        return nodes == null ? Map.of("", CompletableFuture.completedFuture(link)) : nodes.toAll();
    }

    /** One slot of each master of a cluster, by its address. */
    Map<String, Integer> slots() {
        return nodes == null ? Map.of() : nodes.slots();
    }

    /** Completes with the link as soon as it is open, or with the reason why it cannot be opened. */
    void open(String key, CompletableFuture<RedisLink> user) {
        if (nodes == null) {
            user.complete(link);
        } else {
            nodes.open(key, user);
        }
    }

    /** Where signals arrive; null before the first subscription. */
    @Nullable
    MailboxConnection signals() {
        return signals;
    }

    /** Subscribes, and returns when the server has confirmed it. */
    void subscribe(MailboxConnection connection) {
        signals = connection;
        connection.open();
    }

    /**
     * Gives both up without waiting for it. Each command ends within the command timeout, even that of a thread which
     * has just taken the link: a server that was demoted still answers that it has not executed it.
     */
    void abandon(ScheduledExecutorService timer, Duration commandTimeout) {
        MailboxConnection subscribed = signals;
        if (subscribed != null) {
            subscribed.closeAsync();
        }
        try {
            timer.schedule(commands::closeAsync, commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The client is being shut down, which closes all of its connections.
        }
    }

    @Override
    public void close() {
        try {
            commands.close();
        } finally {
            MailboxConnection subscribed = signals;
            if (subscribed != null) {
                subscribed.close();
            }
        }
    }
}
