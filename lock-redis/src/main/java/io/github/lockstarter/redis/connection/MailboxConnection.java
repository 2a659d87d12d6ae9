package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisException;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * Where the signals of an instance arrive: a connection that Lettuce opens and subscribes again when it breaks, and
 * another one in its place when its server hangs or does not know of the subscription.
 *
 * <p>{@code current} is set by the opener's thread, the first time before others see this, and cleared by the thread
 * that closes it: from then on no other connection takes its place. {@code isReplacing} is true while another
 * connection is being opened, so that many who miss signals open one.
 */
final class MailboxConnection {

    /** Between an answer and the next question whether the server is there. */
    static final Duration PULSE = Duration.ofSeconds(5);

    private final RedisConnector connector;
    private final Duration pulse;
    private final Executor opener;
    private final SignalMailbox mailbox;
    private final AtomicBoolean isReplacing = new AtomicBoolean();
    private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();

    /**
     * Connects nothing yet.
     *
     * @param connector opens the connections
     * @param pulse between an answer and the next question whether the server is there
     * @param opener runs what blocks
     * @param mailbox receives the signals
     */
    MailboxConnection(RedisConnector connector, Duration pulse, Executor opener, SignalMailbox mailbox) {
        this.connector = connector;
        this.pulse = pulse;
        this.opener = opener;
        this.mailbox = mailbox;
    }

    /** Connects and subscribes, and returns when the server has confirmed it. */
    void open() {
        Subscription first = new Subscription(connector.connectPubSub());
        current.set(first);
        first.confirm();
        first.askLater();
    }

    /** Whether signals arrive now, as far as the client can tell: connected, and the last question was answered. */
    boolean hearsSignals() {
        Subscription known = current.get();
        return known != null && known.connection.isOpen() && !known.isSilent;
    }

    /**
     * Subscribes on another connection, unless that is under way. Commands go on meanwhile. If it fails, the pulse and
     * the heartbeats ask for it again. Returns at once.
     */
    void replace() {
        if (isReplacing.compareAndSet(false, true)) {
            boolean isBegun = false;
            try {
                opener.execute(this::openAnother);
                isBegun = true;
            } catch (RejectedExecutionException e) {
                // Closed.
            } finally {
                if (!isBegun) { // such as for want of a thread: the next one tries again
                    isReplacing.set(false);
                }
            }
        }
    }

    private void openAnother() {
        try {
            Subscription known = current.get();
            if (known != null) {
                subscribeInPlaceOf(known);
            }
        } catch (RuntimeException e) {
            // The server may hang, or be away.
        } finally {
            isReplacing.set(false);
        }
    }

    private void subscribeInPlaceOf(Subscription known) {
        Subscription another = new Subscription(connector.connectPubSub());
        Subscription surplus = another;
        try {
            another.confirm();
            surplus = current.compareAndSet(known, another) ? known : another;
        } finally {
            surplus.connection.closeAsync();
        }
        another.askLater();
    }

    /** Closes the connection, and waits for it. */
    void close() {
        Subscription known = current.getAndSet(null);
        if (known != null) {
            known.connection.close();
        }
    }

    /** Closes the connection without waiting for it. */
    void closeAsync() {
        Subscription known = current.getAndSet(null);
        if (known != null) {
            known.connection.closeAsync();
        }
    }

    /**
     * The subscription on one connection, whose server is asked repeatedly whether it is there. Nothing else shows it:
     * a mailbox that hears nothing and one whose server hangs look alike, and commands may go to other servers of the
     * cluster, or on a connection that works.
     *
     * <p>Asks on the client's timer and event loop, one question at a time, which alone use {@code missed} and write
     * {@code isSilent}. Ends once signals arrive on another connection, or not at all.
     */
    private final class Subscription {

        private final StatefulRedisPubSubConnection<String, String> connection;
        private int missed;
        private volatile boolean isSilent;

        Subscription(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        /** Subscribes, and returns when the server has confirmed it. */
        void confirm() {
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

        void askLater() {
            try {
                connector.timer().schedule(this::ask, pulse.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The client is being shut down, and with it the mailbox.
            }
        }

        private void ask() {
            if (current.get() != this) {
                return;
            }
            if (connection.isOpen()) {
                connection.async().ping().whenComplete((answer, failure) -> recordReply(failure));
            } else {
                recordReply(null); // it is being opened again, which the mailbox reports itself
            }
        }

        private void recordReply(@Nullable Throwable failure) {
            isSilent = failure != null;
            missed = failure == null ? 0 : missed + 1;
            if (missed == 0) {
                askLater();
            } else if (missed < RedisLink.MOST_TIMEOUTS) {
                ask();
            } else {
                missed = 0;
                askLater();
                replace();
            }
        }
    }
}
