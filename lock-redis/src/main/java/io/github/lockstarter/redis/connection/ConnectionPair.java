package io.github.lockstarter.redis.connection;

import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.IntegerOutput;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A backend's connections for commands and for signals; both reconnect automatically.
 * <p>The opening thread sets {@code signals} before others send on the connections.
 */
final class ConnectionPair implements AutoCloseable {

    private final StatefulConnection<String, String> commands;
    /** In a cluster for {@link #check} only. */
    private final RedisLink link;

    /** Null for a single server. */
    private final @Nullable ClusterRouting nodes;

    private volatile @Nullable MailboxConnection signals;

    ConnectionPair(
            StatefulConnection<String, String> commands, Consumer<ConnectionPair> onUnhealthy, LongSupplier nanoTime) {
        this.commands = Objects.requireNonNull(commands, "connection");
        Consumer<RedisLink> unfit = any -> onUnhealthy.accept(this);
        this.link = new RedisLink(commands, unfit, new AtomicInteger(), nanoTime);
        if (commands instanceof StatefulRedisClusterConnection<String, String> cluster) {
            this.nodes = new ClusterRouting(cluster, unfit.andThen(RedisLink::reconnect), nanoTime);
            nodes.connectToAll();
        } else {
            this.nodes = null;
            link.watch(commands);
        }
    }

    @Nullable
    RedisLink to(String key) {
        return nodes == null ? link : nodes.to(key);
    }

    Optional<String> nodeOf(String key) {
        return nodes == null ? Optional.empty() : nodes.nodeOf(key);
    }

    void check(Consumer<RedisLink> check) {
        check.accept(link);
    }

    Map<String, CompletableFuture<RedisLink>> toAll() {
        return nodes == null ? Map.of("", CompletableFuture.completedFuture(link)) : nodes.toAll();
    }

    Map<String, Integer> slots() {
        return nodes == null ? Map.of() : nodes.slots();
    }

    /** Publishes to the mailbox itself, and counts its subscribers at that server. Not completed without a link. */
    CompletionStage<Long> prove(SignalMailbox mailbox) {
        RedisLink server = to(mailbox.channel());
        return server == null
                ? new CompletableFuture<>()
                : server.ask(
                        CommandType.PUBLISH,
                        new IntegerOutput<>(StringCodec.UTF8),
                        mailbox.channel(),
                        SignalMailbox.PROOF);
    }

    void open(String key, CompletableFuture<RedisLink> user) {
        if (nodes == null) {
            user.complete(link);
        } else {
            nodes.open(key, user);
        }
    }

    Optional<MailboxConnection> signals() {
        return Optional.ofNullable(signals);
    }

    /** Null is no mailbox, which needs no subscription. */
    boolean isSubscribedTo(@Nullable SignalMailbox wanted) {
        return wanted == null
                || signals().filter(open -> open.mailbox == wanted).isPresent();
    }

    /** Closes an earlier subscription without blocking. */
    void subscribe(MailboxConnection connection) {
        Optional<MailboxConnection> former = signals();
        signals = connection;
        former.ifPresent(MailboxConnection::closeAsync);
        connection.open();
    }

    /**
     * Closes both without blocking. The command connection stays open for a command timeout, so that pending commands
     * end, including those of threads that have just fetched the link: a demoted server still answers that it did not
     * execute them.
     */
    void abandon(ScheduledExecutorService loop, Duration commandTimeout) {
        signals().ifPresent(MailboxConnection::closeAsync);
        try {
            loop.schedule(commands::closeAsync, commandTimeout.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The client is shutting down and closes its connections.
        }
    }

    /** Closes both without blocking. */
    void closeAsync() {
        commands.closeAsync();
        signals().ifPresent(MailboxConnection::closeAsync);
    }

    @Override
    public void close() {
        try {
            commands.close();
        } finally {
            signals().ifPresent(MailboxConnection::close);
        }
    }
}
