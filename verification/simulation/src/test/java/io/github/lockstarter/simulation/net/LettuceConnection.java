package io.github.lockstarter.simulation.net;

import io.github.lockstarter.simulation.redis.Reply;
import io.lettuce.core.RedisCommandTimeoutException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import io.lettuce.core.protocol.RedisStateMachine;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.lettuce.core.pubsub.api.async.RedisPubSubAsyncCommands;
import io.lettuce.core.resource.ClientResources;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.netty.util.concurrent.EventExecutorGroup;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A connection as Lettuce 7 keeps it up, by its documented rules. Commands are answered in order. A command that is not
 * answered within the command timeout fails, and its reply is ignored. When the connection breaks, commands that are
 * not done wait for the next one, which is tried at growing intervals, and are sent there once more, in order. Lettuce
 * itself encodes commands and decodes replies.
 */
final class LettuceConnection implements Wire.Client {

    private static final long FIRST_RETRY_NANOS = Duration.ofMillis(1).toNanos();
    private static final long LAST_RETRY_NANOS = Duration.ofSeconds(8).toNanos();

    private final Endpoint endpoint;
    private final RedisStateMachine decoder = new RedisStateMachine();
    private final Deque<RedisCommand<?, ?, ?>> unanswered = new ArrayDeque<>();
    private final Deque<RedisCommand<?, ?, ?>> waiting = new ArrayDeque<>();
    private final List<RedisConnectionStateListener> states = new ArrayList<>();
    private final List<RedisPubSubListener<String, String>> messages = new ArrayList<>();
    private final List<String> channels = new ArrayList<>();
    private @Nullable Wire wire;
    private long retryNanos = FIRST_RETRY_NANOS;
    private boolean closed;

    /** Opens a connection, or throws Lettuce's exception. */
    LettuceConnection(Endpoint endpoint) {
        this.endpoint = endpoint;
        this.wire = endpoint.open(this).orElse(null);
        if (wire == null) {
            throw new RedisConnectionException(
                    "Unable to connect to " + endpoint.master().get());
        }
    }

    /** As Lettuce's API has it, for commands. */
    StatefulRedisConnection<String, String> forCommands() {
        return Facade.of(StatefulRedisConnection.class, common());
    }

    /** As Lettuce's API has it, for messages. */
    StatefulRedisPubSubConnection<String, String> forMessages() {
        RedisPubSubAsyncCommands<String, String> async = Facade.of(
                RedisPubSubAsyncCommands.class,
                new Facade().with("subscribe", arguments -> subscribe((String) ((Object[]) arguments[0])[0])));
        return Facade.of(StatefulRedisPubSubConnection.class, common().with("async", arguments -> async));
    }

    @SuppressWarnings("unchecked")
    private Facade common() {
        EventExecutorGroup loops = Facade.of(EventExecutorGroup.class, new Facade().with("schedule", arguments -> {
                    endpoint.scheduler()
                            .schedule((Runnable) arguments[0], (long) arguments[1], (TimeUnit) arguments[2]);
                    return null;
                }));
        ClientResources resources =
                Facade.of(ClientResources.class, new Facade().with("eventExecutorGroup", arguments -> loops));
        return new Facade()
                .with("dispatch", arguments -> dispatch((RedisCommand<?, ?, ?>) arguments[0]))
                .with("isOpen", arguments -> wire != null && !closed)
                .with("getTimeout", arguments -> endpoint.commandTimeout())
                .with("getResources", arguments -> resources)
                .with("close", arguments -> close())
                .with("closeAsync", arguments -> close())
                .with("addListener", arguments -> {
                    if (arguments[0] instanceof RedisConnectionStateListener state) {
                        states.add(state);
                    } else {
                        messages.add((RedisPubSubListener<String, String>) arguments[0]);
                    }
                    return null;
                });
    }

    private <C extends RedisCommand<?, ?, ?>> C dispatch(C command) {
        if (closed) {
            command.completeExceptionally(new RedisException("Connection is closed"));
            return command;
        }
        endpoint.scheduler()
                .schedule(() -> expire(command), endpoint.commandTimeout().toNanos(), TimeUnit.NANOSECONDS);
        if (wire == null) {
            waiting.add(command);
        } else {
            write(wire, command);
        }
        return command;
    }

    private static void expire(RedisCommand<?, ?, ?> command) {
        if (!command.isDone()) {
            command.completeExceptionally(new RedisCommandTimeoutException("Command timed out"));
        }
    }

    private void write(Wire open, RedisCommand<?, ?, ?> command) {
        unanswered.add(command);
        ByteBuf bytes = Unpooled.buffer();
        command.encode(bytes);
        open.send(Resp.words(bytes));
    }

    @Override
    public void reply(Reply reply) {
        if (closed) {
            return;
        }
        RedisCommand<?, ?, ?> command = unanswered.remove();
        if (!command.isDone()) {
            decoder.decode(Resp.bytes(reply), command.getOutput());
            command.complete();
        }
    }

    @Override
    public void message(String channel, String text) {
        if (!closed) {
            endpoint.received().accept(text);
            List.copyOf(messages).forEach(listener -> listener.message(channel, text));
        }
    }

    /** Answered at once: who opens connections blocks for it. */
    private RedisFuture<Void> subscribe(String channel) {
        AsyncCommand<String, String, Void> done = new AsyncCommand<>(new Command<>(CommandType.SUBSCRIBE, null));
        if (wire == null) {
            done.completeExceptionally(new RedisException("Connection is closed"));
        } else {
            channels.add(channel);
            subscribe(wire, channel);
            done.complete((Void) null);
        }
        return done;
    }

    private void subscribe(Wire open, String channel) {
        open.subscribe(channel);
        messages.forEach(listener -> listener.subscribed(channel, 1));
    }

    @Override
    public void broken() {
        if (closed) {
            return;
        }
        wire = null;
        unanswered.removeIf(RedisCommand::isDone);
        while (!unanswered.isEmpty()) {
            waiting.addFirst(unanswered.removeLast());
        }
        states.forEach(state -> state.onRedisDisconnected(null));
        retryNanos = FIRST_RETRY_NANOS;
        retryLater();
    }

    private void retryLater() {
        retryNanos = Math.min(2 * retryNanos, LAST_RETRY_NANOS);
        endpoint.scheduler().schedule(this::connectAgain, retryNanos, TimeUnit.NANOSECONDS);
    }

    private void connectAgain() {
        if (closed) {
            return;
        }
        Wire opened = endpoint.open(this).orElse(null);
        if (opened == null) {
            retryLater();
            return;
        }
        wire = opened;
        waiting.removeIf(RedisCommand::isDone);
        while (!waiting.isEmpty()) {
            write(opened, waiting.remove());
        }
        channels.forEach(channel -> subscribe(opened, channel));
    }

    private CompletableFuture<Void> close() {
        closed = true;
        if (wire != null) {
            wire.close();
        }
        List<RedisCommand<?, ?, ?>> ended = new ArrayList<>(unanswered);
        ended.addAll(waiting);
        unanswered.clear();
        waiting.clear();
        ended.forEach(command -> command.completeExceptionally(new RedisException("Connection closed")));
        return CompletableFuture.completedFuture(null);
    }
}
