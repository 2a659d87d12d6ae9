package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connection.HeartbeatChannels.Channel;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.RedisPubSubListener;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * The subscription of a mailbox on one connection, which Lettuce opens again when it breaks, and subscribes again.
 *
 * <p>{@code channels} is set by the thread that subscribes, before others see this.
 */
final class MailboxSubscription {

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final AtomicLong numbers;
    private final AtomicBoolean isReplaced = new AtomicBoolean();
    private volatile @Nullable HeartbeatChannels channels;

    /**
     * Takes an open connection over; subscribes nothing yet.
     *
     * @param connection what to subscribe on
     * @param numbers the last number that was given to any
     */
    MailboxSubscription(StatefulRedisPubSubConnection<String, String> connection, AtomicLong numbers) {
        this.connection = connection;
        this.numbers = numbers;
    }

    /** What signals arrive on. */
    StatefulRedisPubSubConnection<String, String> connection() {
        return connection;
    }

    /** The channel of the present connection to the server; null while there is none. */
    @Nullable
    Channel heartbeat() {
        HeartbeatChannels known = channels;
        return known == null ? null : known.current();
    }

    /** Whether signals arrive, as far as the client can tell. */
    boolean isOpen() {
        return connection.isOpen();
    }

    /** Whether the caller is the one that subscribes elsewhere. */
    boolean beginReplacement() {
        return isReplaced.compareAndSet(false, true);
    }

    /** It could not subscribe elsewhere: somebody may try again. */
    void endReplacement() {
        isReplaced.set(false);
    }

    /** Subscribes to both channels, and returns when the server has confirmed it. */
    void confirm(SignalMailbox mailbox) {
        CompletableFuture<Void> refusal = new CompletableFuture<>();
        HeartbeatChannels heartbeats =
                new HeartbeatChannels(mailbox, numbers, channel -> subscribe(channel, refusal), channel -> connection
                        .async()
                        .unsubscribe(channel));
        channels = heartbeats;
        connection.addListener((RedisConnectionStateListener) heartbeats);
        connection.addListener((RedisPubSubListener<String, String>) heartbeats);
        connection.addListener(mailbox);
        try {
            CompletableFuture<Object> both = connection
                    .async()
                    .subscribe(mailbox.channel())
                    .toCompletableFuture()
                    .thenCompose(first -> CompletableFuture.anyOf(heartbeats.opened(), refusal));
            BlockingWait.await(both, connection.getTimeout());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
        } catch (TimeoutException e) {
            throw new RedisException("No answer to SUBSCRIBE", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisException("Interrupted while subscribing", e);
        }
    }

    /** The mailbox's channel may be allowed, and this one not. */
    private void subscribe(String channel, CompletableFuture<Void> refusal) {
        try {
            connection.async().subscribe(channel).whenComplete((any, failure) -> {
                if (failure != null) {
                    refusal.completeExceptionally(failure);
                }
            });
        } catch (RuntimeException | Error e) {
            refusal.completeExceptionally(e);
        }
    }

    void close() {
        endHeartbeats();
        connection.close();
    }

    void closeAsync() {
        endHeartbeats();
        connection.closeAsync();
    }

    private void endHeartbeats() {
        HeartbeatChannels known = channels;
        if (known != null) {
            known.end();
        }
    }
}
