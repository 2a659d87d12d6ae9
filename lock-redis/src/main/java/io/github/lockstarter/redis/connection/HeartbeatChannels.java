package io.github.lockstarter.redis.connection;

import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Gives each connection to the server, the first one of a mailbox and those that replace it, a channel of its own: a
 * server that counts a listener there hears this very connection, and none that was given up before.
 *
 * <p>Invariant: {@link #current} is the channel that the server has confirmed on the present connection, and null from
 * the disconnection on, which Lettuce reports before it connects again. Lettuce then subscribes again what the
 * connection before had subscribed, its channel included, in any order: that one is ignored, and unsubscribed.
 *
 * <p>Called by the event loop of one connection at a time; {@link #current} is read by all.
 */
final class HeartbeatChannels extends RedisPubSubAdapter<String, String> implements RedisConnectionStateListener {

    private final SignalMailbox mailbox;
    private final AtomicLong numbers;
    private final Consumer<String> subscribe;
    private final Consumer<String> unsubscribe;
    private final CompletableFuture<Void> opened = new CompletableFuture<>();
    private volatile @Nullable Channel current;

    /** What the present connection subscribes; null until it has the mailbox. */
    private volatile @Nullable Channel own;

    /** What the present connection, or the one before, has subscribed last. */
    private volatile @Nullable Channel latest;

    /**
     * The channel of one connection to the server.
     *
     * @param name its name
     * @param number stands for the connection; each has another one
     */
    record Channel(String name, long number) {}

    /**
     * No connection has a channel yet.
     *
     * @param mailbox what each connection subscribes first
     * @param numbers the last number that was given to any
     * @param subscribe subscribes a channel; returns at once
     * @param unsubscribe ends the subscription of a channel; returns at once
     */
    HeartbeatChannels(
            SignalMailbox mailbox, AtomicLong numbers, Consumer<String> subscribe, Consumer<String> unsubscribe) {
        this.mailbox = mailbox;
        this.numbers = numbers;
        this.subscribe = subscribe;
        this.unsubscribe = unsubscribe;
    }

    /** The channel of the present connection; null while there is none. */
    @Nullable
    Channel current() {
        return current;
    }

    /** Completed with the first channel that the server has confirmed. */
    CompletableFuture<Void> opened() {
        return opened;
    }

    @Override
    public void subscribed(String to, long count) {
        Channel expected = own;
        if (to.equals(mailbox.channel())) {
            subscribeOwn();
        } else if (expected != null && to.equals(expected.name())) {
            current = expected;
            opened.complete(null);
            mailbox.opened();
        }
    }

    private void subscribeOwn() {
        long number = numbers.incrementAndGet();
        Channel next = new Channel(mailbox.heartbeat() + number, number);
        own = next;
        subscribe.accept(next.name());
        Channel useless = latest;
        if (useless != null) {
            unsubscribe.accept(useless.name());
        }
        latest = next;
    }

    @Override
    public void onRedisDisconnected(RedisChannelHandler<?, ?> broken) {
        end();
    }

    /** The connection is closed, or broken. */
    void end() {
        own = null;
        current = null;
    }
}
