package io.github.lockstarter.redis;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.api.StatefulConnection;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The two connections of a backend: one for commands, one for signals. Both reconnect by themselves.
 *
 * <p>{@code breaks} is written by the event loop and read by all; so is {@code known}; {@code signals}
 * is set once, by the thread that opens the link, before others see the link.
 */
final class RedisLink implements RedisConnectionStateListener, AutoCloseable {

    private final StatefulConnection<String, String> commands;
    private final AtomicInteger breaks = new AtomicInteger();
    private final Set<LockScript> known = ConcurrentHashMap.newKeySet();
    private volatile @Nullable StatefulRedisPubSubConnection<String, String> signals;

    RedisLink(StatefulConnection<String, String> commands) {
        this.commands = commands;
        commands.addListener(this);
    }

    /** What commands travel on. */
    StatefulConnection<String, String> commands() {
        return commands;
    }

    /** How often the connection broke. A command during which this changes may be executed twice. */
    int breaks() {
        return breaks.get();
    }

    /**
     * Whether the short form of the script may be sent: the server has answered it on the same connection. Sending the short
     * form on a guess would let commands that come later overtake the one that the server does not know.
     */
    boolean isKnown(LockScript script) {
        return known.contains(script);
    }

    /** The server ran the script. */
    void learned(LockScript script) {
        known.add(script);
    }

    /** The server does not know one, so that it may know none. */
    void forgetScripts() {
        known.clear();
    }

    /** Whether signals arrive. */
    boolean isSubscribed() {
        return signals != null;
    }

    /** Subscribes, and returns when the server has confirmed it. */
    void subscribe(Mailbox mailbox, StatefulRedisPubSubConnection<String, String> connection) {
        signals = connection;
        connection.addListener(mailbox);
        try {
            long nanos = connection.getTimeout().toNanos();
            connection.async().subscribe(mailbox.channel()).get(nanos, TimeUnit.NANOSECONDS);
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
        } catch (TimeoutException e) {
            throw new RedisException("No answer to SUBSCRIBE", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisException("Interrupted while subscribing", e);
        }
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> connection) {
        breaks.incrementAndGet();
        // It may have been a restart.
        forgetScripts();
    }

    @Override
    public void close() {
        try {
            commands.close();
        } finally {
            StatefulRedisPubSubConnection<String, String> subscribed = signals;
            if (subscribed != null) {
                subscribed.close();
            }
        }
    }
}
