package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * An instance's subscription. Lettuce reconnects and resubscribes after a break; this replaces the connection when its
 * server hangs or does not know the subscription. With each ping, it looks for another master and calls the mailbox.
 * <p>The opener's thread sets {@code current} before others see this object; after closing, no connection replaces it.
 */
final class MailboxConnection {

    /** Between a reply and the next ping. */
    static final Duration PULSE = Duration.ofSeconds(5);

    final SignalMailbox mailbox;

    private final RedisConnector connector;
    private final Duration pulse;
    private final Executor opener;
    private final Runnable onAnotherMaster;
    private final AtomicBoolean isReplacing = new AtomicBoolean();
    private final AtomicReference<@Nullable Subscription> current = new AtomicReference<>();

    MailboxConnection(
            RedisConnector connector,
            Duration pulse,
            Executor opener,
            SignalMailbox mailbox,
            Runnable onAnotherMaster) {
        this.connector = connector;
        this.pulse = pulse;
        this.opener = opener;
        this.mailbox = mailbox;
        this.onAnotherMaster = onAnotherMaster;
    }

    void open() {
        Subscription first = new Subscription(connector.connectPubSub());
        current.set(first);
        first.confirm();
        first.askLater();
    }

    boolean hearsSignals() {
        Subscription known = current.get();
        return known != null && known.connection.isOpen() && !known.silent;
    }

    /**
     * Subscribes on another connection; commands are not affected. After a failure, the next missed pings or heartbeats
     * retry. Returns at once.
     */
    void replace() {
        if (isReplacing.compareAndSet(false, true)) {
            try {
                opener.execute(this::openAnother);
            } catch (RuntimeException | Error e) { // closed, or no free thread: the next call retries
                isReplacing.set(false);
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
            // The server may hang or be unreachable.
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

    void close() {
        leave().ifPresent(StatefulRedisPubSubConnection::close);
    }

    void closeAsync() {
        leave().ifPresent(StatefulRedisPubSubConnection::closeAsync);
    }

    private Optional<StatefulRedisPubSubConnection<String, String>> leave() {
        return Optional.ofNullable(current.getAndSet(null)).map(known -> known.connection);
    }

    /**
     * The subscription on one connection, with regular pings: an idle mailbox and a hanging server look alike.
     * <p>Runs on the client's event loop, one ping at a time. Ends when the connection is replaced or closed.
     */
    private final class Subscription {

        private final StatefulRedisPubSubConnection<String, String> connection;
        private int missed;
        private volatile boolean silent;

        Subscription(StatefulRedisPubSubConnection<String, String> connection) {
            this.connection = connection;
        }

        void confirm() {
            connection.addListener(mailbox);
            LettuceFutures.awaitOrCancel(
                    connection.async().subscribe(mailbox.channel()),
                    connection.getTimeout().toNanos(),
                    TimeUnit.NANOSECONDS);
        }

        void askLater() {
            try {
                connector.loop().schedule(this::ask, pulse.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The client is shutting down, and the mailbox with it.
            }
        }

        private void ask() {
            if (current.get() != this) {
                return;
            }
            connector.lookForAnotherMaster(onAnotherMaster);
            if (connection.isOpen()) {
                BackendGuard.stageOf(() -> connection.async().ping())
                        .whenComplete((answer, failure) -> recordReply(failure));
            } else {
                recordReply(null); // reconnecting, which the mailbox reports
            }
            mailbox.pinged(); // last: whatever it throws, the next ping is due
        }

        private void recordReply(@Nullable Throwable failure) {
            silent = failure != null;
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
