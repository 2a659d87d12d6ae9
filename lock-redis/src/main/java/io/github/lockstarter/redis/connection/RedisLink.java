package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
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
 * The connection to one server for commands, with its state: whether it broke, whether the server is silent, and which
 * scripts the server knows.
 *
 * <p>{@code breaks}, {@code breaksOfAll} and {@code known} are written by the event loop and read by all;
 * {@code timeouts} and {@code watched} are written by all.
 */
public final class RedisLink implements RedisConnectionStateListener {

    /** As many answers in a row that do not come in time, and none that does, are those of a server that hangs. */
    static final int MOST_TIMEOUTS = 3;

    /**
     * A connection that is no older was just opened to what was thought to be the right server: no better one is known.
     */
    private static final long YOUNG = TimeUnit.SECONDS.toNanos(1);

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
     * Makes a link that is not watched yet.
     *
     * @param commands what commands travel on
     * @param onUnhealthy told when the server hangs, or does not take writes; returns at once
     * @param breaksOfAll counts the breaks of all links that what is sent on this one may be redirected to
     * @param nanoTime the clock
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

    /** What commands travel on. */
    public StatefulConnection<String, String> commands() {
        return commands;
    }

    /** From now on this connection is the one to the server. */
    public void watch(StatefulConnection<String, String> connection) {
        if (watched.getAndSet(connection) != connection) {
            forgetScripts();
            connection.addListener(this);
        }
    }

    /** Asks the server itself, so that the question goes nowhere else. */
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

    /** Whether commands reach the server at once. */
    boolean isConnected() {
        StatefulConnection<?, ?> connection = watched.get();
        return connection != null && connection.isOpen();
    }

    /**
     * How often the connection broke. A command during which this changes may be executed twice. A connection that is
     * being given up counts as broken before what was under way on it is sent elsewhere.
     */
    public int breaks() {
        return isConnected() ? breaks.get() : breaks.get() + 1;
    }

    /**
     * How often the connection broke before a command that is dispatched now. What is dispatched while the client is
     * disconnected goes out on the next connection, so a command went out once if {@link #breaks} is the same with its
     * answer. A break that is not counted yet is taken for one that came later.
     */
    public int breaksCounted() {
        return breaks.get();
    }

    /**
     * How often any connection broke that a command on this one may be redirected to. A command during which this
     * changes may be executed twice, too.
     */
    public int breaksOfAll() {
        return breaksOfAll.get();
    }

    /**
     * Whether the short form of the script may be sent: the server has answered it on the same connection. Sending the
     * short form on a guess would let commands that come later overtake the one that the server does not know.
     */
    public boolean isKnown(String sha) {
        return knownScripts.contains(sha);
    }

    /** The server ran the script. */
    public void learned(String sha) {
        knownScripts.add(sha);
    }

    /** The server does not know one, so that it may know none. */
    public void forgetScripts() {
        knownScripts.clear();
    }

    /**
     * A command ended, with the server's answer or with a failure. May give the connection up, which counts as a break:
     * ask {@link #breaks} before.
     */
    public void recordReply(@Nullable Throwable failure) {
        if (failure == null) {
            answered();
        } else if (failure instanceof RedisCommandTimeoutException) {
            timedOut();
        } else if (ServerError.isOfReplica(failure)) {
            demoted();
        }
    }

    /** The server said something. */
    private void answered() {
        if (timeouts.get() != 0) {
            timeouts.set(0);
        }
    }

    /** The server did not answer in time. */
    private void timedOut() {
        if (timeouts.incrementAndGet() >= MOST_TIMEOUTS) {
            timeouts.set(0);
            onUnhealthy.accept(this);
        }
    }

    /** The server is not one that takes writes. */
    private void demoted() {
        if (nanoTime.getAsLong() - openedAt > YOUNG) {
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
