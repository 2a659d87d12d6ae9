package io.github.lockstarter.redis.connection;

import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The subscription of a mailbox on one connection, which Lettuce opens again when it breaks, and subscribes again.
 */
final class MailboxSubscription {

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final AtomicBoolean isReplaced = new AtomicBoolean();

    /**
     * Takes an open connection over; subscribes nothing yet.
     *
     * @param connection what to subscribe on
     */
    MailboxSubscription(StatefulRedisPubSubConnection<String, String> connection) {
        this.connection = connection;
    }

    /** What signals arrive on. */
    StatefulRedisPubSubConnection<String, String> connection() {
        return connection;
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

    /** Subscribes, and returns when the server has confirmed it. */
    void confirm(SignalMailbox mailbox) {
        connection.addListener(mailbox);
        try {
            BlockingWait.await(
                    connection.async().subscribe(mailbox.channel()).toCompletableFuture(), connection.getTimeout());
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : new RedisException(e);
        } catch (TimeoutException e) {
            throw new RedisException("No answer to SUBSCRIBE", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisException("Interrupted while subscribing", e);
        }
    }

    void close() {
        connection.close();
    }

    void closeAsync() {
        connection.closeAsync();
    }
}
