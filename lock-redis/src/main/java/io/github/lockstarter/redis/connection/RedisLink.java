package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.StatefulRedisClusterConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandExpiryWriter;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.DefaultEndpoint;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The command connection to one server, with its breaks, timeouts and loaded scripts.
 * <p>Event loops write {@code breaks} and {@code breaksOfAll}; all threads read them and write the other fields.
 */
public final class RedisLink implements RedisConnectionStateListener {

    /** Consecutive timeouts, without an answer between, of a server that hangs. */
    private static final int MOST_TIMEOUTS = 3;

    /** Connections younger than this were opened to the best known server; replacing them would not help. */
    private static final long MIN_AGE_TO_REPLACE = TimeUnit.SECONDS.toNanos(1);

    private final StatefulConnection<String, String> commands;
    private final Consumer<RedisLink> onUnhealthy;
    private final AtomicInteger breaks = new AtomicInteger();
    private final AtomicInteger breaksOfAll;
    private final AtomicInteger timeouts = new AtomicInteger();
    private final Set<String> knownScripts = ConcurrentHashMap.newKeySet();
    private final LongSupplier nanoTime;
    private final long openedAt;
    private final AtomicReference<@Nullable StatefulConnection<String, String>> watched = new AtomicReference<>();

    /**
     * @param onUnhealthy called when the server hangs or rejects writes; returns at once
     * @param breaksOfAll shared by all links to which commands on this link may be redirected
     */
    public RedisLink(
            StatefulConnection<String, String> commands,
            Consumer<RedisLink> onUnhealthy,
            AtomicInteger breaksOfAll,
            LongSupplier nanoTime) {
        this.commands = commands;
        this.onUnhealthy = onUnhealthy;
        this.breaksOfAll = breaksOfAll;
        this.nanoTime = nanoTime;
        this.openedAt = nanoTime.getAsLong();
    }

    public StatefulConnection<String, String> commands() {
        return commands;
    }

    /** Commands one by one, not through scripts. */
    public RedisClusterAsyncCommands<String, String> async() {
        return commands instanceof StatefulRedisClusterConnection<String, String> cluster
                ? cluster.async()
                : ((StatefulRedisConnection<String, String>) commands).async();
    }

    /** In a cluster the connection to this server, which follows no redirect; null if it is not open. */
    public @Nullable StatefulConnection<String, String> server() {
        StatefulConnection<String, String> connection = watched.get();
        return connection != null && connection.isOpen() ? connection : null;
    }

    public void watch(StatefulConnection<String, String> connection) {
        if (watched.getAndSet(connection) != connection) {
            forgetScripts();
            connection.addListener(this);
        }
    }

    public <T> CompletionStage<T> ask(CommandType type, CommandOutput<String, String, T> answer, String... arguments) {
        StatefulConnection<String, String> connection = watched.get();
        if (connection == null) {
            return CompletableFuture.failedFuture(new RedisException("no connection to the server"));
        }
        CommandArgs<String, String> input = new CommandArgs<>(StringCodec.UTF8);
        List.of(arguments).forEach(input::add);
        AsyncCommand<String, String, T> command = new AsyncCommand<>(new Command<>(type, answer, input));
        command.onComplete((answered, failure) -> recordReply(failure));
        connection.dispatch(command);
        return command;
    }

    boolean isConnected() {
        return server() != null;
    }

    /**
     * Number of breaks. If it changes during a command, the command may have been executed twice. A connection that is
     * being abandoned counts as broken before its pending commands are resent.
     */
    public int breaks() {
        return isConnected() ? breaks.get() : breaks.get() + 1;
    }

    /**
     * Number of breaks before a command that is dispatched now. Commands dispatched while disconnected are sent on the
     * next connection, so a command was sent once if {@link #breaks} is the same at its answer.
     */
    public int breaksCounted() {
        return breaks.get();
    }

    /** Number of breaks of this link and all possible targets of redirects. */
    public int breaksOfAll() {
        return breaksOfAll.get();
    }

    /**
     * Whether {@code EVALSHA} may be used: the server has run the script on this connection. Guessing would let later
     * commands overtake one that fails with {@code NOSCRIPT}.
     */
    public boolean isKnown(String sha) {
        return knownScripts.contains(sha);
    }

    public void learned(String sha) {
        knownScripts.add(sha);
    }

    public void forgetScripts() {
        knownScripts.clear();
    }

    /** Evaluates a command's end. May abandon the connection, which counts as a break: read {@link #breaks} before. */
    public void recordReply(@Nullable Throwable failure) {
        if (failure == null) {
            answered();
        } else if (failure instanceof RedisCommandTimeoutException) {
            timedOut();
        } else if (ServerError.isOfReplica(failure)) {
            demoted();
        }
    }

    /** Closes the channel without telling the server, which may not answer. Lettuce connects again. */
    void reconnect() {
        if (watched.get() instanceof RedisChannelHandler<?, ?> connection
                && connection.getChannelWriter() instanceof CommandExpiryWriter writer
                && writer.getDelegate() instanceof DefaultEndpoint endpoint) {
            endpoint.disconnect();
        }
    }

    private void answered() {
        if (timeouts.get() != 0) {
            timeouts.set(0);
        }
    }

    private void timedOut() {
        if (timeouts.incrementAndGet() >= MOST_TIMEOUTS) {
            timeouts.set(0);
            onUnhealthy.accept(this);
        }
    }

    private void demoted() {
        if (nanoTime.getAsLong() - openedAt > MIN_AGE_TO_REPLACE) {
            onUnhealthy.accept(this);
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        breaks.incrementAndGet();
        breaksOfAll.incrementAndGet();
        // It may have been a restart.
        forgetScripts();
    }
}
