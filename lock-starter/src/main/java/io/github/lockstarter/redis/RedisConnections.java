package io.github.lockstarter.redis;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the link to Redis when it is needed and not open yet; once open, Lettuce keeps it up.
 *
 * <p>Any thread calls. One daemon thread of its own opens, since opening blocks; it ends when idle. The monitor guards
 * {@code opening}, {@code mailbox} and {@code closed}, and every write of {@code link}; nothing blocks under it, and no
 * stage is completed under it. {@code link} is null until commands may be sent: connected and, as soon as there is a
 * mailbox, subscribed. An attempt that fails is over; the next command starts another.
 */
final class RedisConnections implements AutoCloseable {

    private final RedisConnector connector;
    private final ExecutorService opener;
    private volatile @Nullable RedisLink link;
    private @Nullable CompletableFuture<RedisLink> opening;
    private @Nullable Mailbox mailbox;
    private boolean closed;

    RedisConnections(RedisConnector connector) {
        this.connector = connector;
        this.opener = new ThreadPoolExecutor(
                0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), RedisConnections::daemon);
    }

    /** The open link, or null. */
    @Nullable
    RedisLink current() {
        return link;
    }

    /** The link, opened unless it is. */
    synchronized CompletableFuture<RedisLink> open() {
        RedisLink current = link;
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        if (closed) {
            return CompletableFuture.failedFuture(new CancellationException("closed"));
        }
        if (opening == null) {
            opening = begin(this::connect);
        }
        return opening;
    }

    /** Subscribes before any further command is sent. */
    synchronized void subscribe(Mailbox wanted) {
        if (mailbox != null) {
            throw new IllegalStateException("This Redis lock backend has its listener; build one per lock engine");
        }
        mailbox = wanted;
        RedisLink current = link;
        if (current != null) {
            link = null;
            opening = begin(() -> current);
        } else if (opening == null && !closed) {
            opening = begin(this::connect);
        }
    }

    /** Ends an open link; the next command opens another. */
    void disconnect() {
        RedisLink current;
        synchronized (this) {
            current = link;
            link = null;
        }
        if (current != null) {
            current.close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        disconnect();
        opener.shutdown();
        connector.close();
    }

    private CompletableFuture<RedisLink> begin(Supplier<RedisLink> connected) {
        CompletableFuture<RedisLink> attempt = new CompletableFuture<>();
        opener.execute(() -> open(connected, attempt));
        return attempt;
    }

    private RedisLink connect() {
        return new RedisLink(connector.connect());
    }

    private void open(Supplier<RedisLink> connected, CompletableFuture<RedisLink> attempt) {
        RedisLink opened = null;
        try {
            opened = connected.get();
            Mailbox missing = publish(opened);
            while (missing != null) {
                opened.subscribe(missing, connector.connectPubSub());
                missing = publish(opened);
            }
        } catch (RuntimeException e) {
            abandon(opened);
            attempt.completeExceptionally(e);
            return;
        }
        attempt.complete(opened);
    }

    /** Hands the link to the commands, unless it lacks the mailbox that is returned then. */
    private synchronized @Nullable Mailbox publish(RedisLink opened) {
        if (closed) {
            throw new CancellationException("closed");
        }
        if (mailbox != null && !opened.isSubscribed()) {
            return mailbox;
        }
        link = opened;
        opening = null;
        return null;
    }

    private void abandon(@Nullable RedisLink opened) {
        synchronized (this) {
            opening = null;
        }
        if (opened != null) {
            opened.close();
        }
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "lock-redis-connect");
        thread.setDaemon(true);
        return thread;
    }
}
