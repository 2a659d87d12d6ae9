package io.github.lockstarter.redis.connector;

import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.timeout;
import static org.mockito.Mockito.verify;

import io.github.lockstarter.redis.settings.RedisSetup;
import io.lettuce.core.RedisAsyncCommandsImpl;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import io.netty.util.concurrent.GlobalEventExecutor;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;

/**
 * Connects to no server: records commands but INFO, and lets a test decide the result of connecting and the answers.
 */
public final class StubRedisConnector implements RedisConnector {

    private final List<AsyncCommand<?, ?, ?>> sent = new CopyOnWriteArrayList<>();
    private final AtomicInteger attempts = new AtomicInteger();
    private final StatefulConnection<String, String> connection = connection();
    private volatile ScheduledExecutorService loop = GlobalEventExecutor.INSTANCE;
    private volatile boolean sentByOthers;
    private volatile Optional<Throwable> failure = Optional.empty();
    private volatile Supplier<StatefulConnection<String, String>> next = () -> connection;

    /** How connecting ends from now on. */
    public void connecting(Supplier<StatefulConnection<String, String>> outcome) {
        next = outcome;
    }

    /** Connecting succeeds from now on. */
    public void connecting() {
        next = () -> connection;
    }

    /** The only connection. */
    public StatefulConnection<String, String> link() {
        return connection;
    }

    /** Number of connection attempts. */
    public int attempts() {
        return attempts.get();
    }

    /** Sent commands in order. */
    public List<AsyncCommand<?, ?, ?>> sent() {
        return sent;
    }

    /** Types of the sent commands in order, such as EVALSHA. */
    public List<String> types() {
        return sent.stream().map(command -> command.getType().toString()).toList();
    }

    /** Whether a thread other than the event loop has sent a command. */
    public boolean isSentByOthers() {
        return sentByOthers;
    }

    /** Uses another loop. */
    public void runOn(ScheduledExecutorService other) {
        loop = other;
    }

    /** Sending fails from now on. */
    public void failSending(Throwable failure) {
        this.failure = Optional.of(failure);
    }

    public void verifyClosed() {
        verify(connection, timeout(30_000)).close();
    }

    @Override
    public StatefulConnection<String, String> connect() {
        attempts.incrementAndGet();
        return next.get();
    }

    @Override
    public StatefulRedisPubSubConnection<String, String> connectPubSub() {
        throw new UnsupportedOperationException("No signals here");
    }

    @Override
    public ScheduledExecutorService loop() {
        return loop;
    }

    @Override
    public Target target() {
        return new Target("stub:1", false, RedisSetup.APPLICATION);
    }

    @Override
    public void close() {}

    @SuppressWarnings("unchecked")
    private StatefulConnection<String, String> connection() {
        return mock(
                StatefulRedisConnection.class, call -> switch (call.getMethod().getName()) {
                    case "dispatch" -> dispatch(call.getArgument(0));
                    case "async" ->
                        new RedisAsyncCommandsImpl<>(
                                (StatefulRedisConnection<String, String>) call.getMock(), StringCodec.UTF8);
                    case "isOpen" -> true;
                    default -> null;
                });
    }

    private Object dispatch(Object commands) throws Throwable {
        if (commands instanceof AsyncCommand<?, ?, ?> info && info.getType() == CommandType.INFO) {
            info.complete(); // asked before the connection is used: without fields
            return info;
        }
        sentByOthers |= !GlobalEventExecutor.INSTANCE.inEventLoop();
        if (failure.isPresent()) {
            throw failure.get();
        }
        if (commands instanceof Collection<?> several) {
            several.forEach(command -> sent.add((AsyncCommand<?, ?, ?>) command));
        } else {
            sent.add((AsyncCommand<?, ?, ?>) commands);
        }
        return commands;
    }
}
