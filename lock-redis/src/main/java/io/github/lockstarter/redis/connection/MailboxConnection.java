package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.spi.BackendGuard;
import io.lettuce.core.LettuceFutures;
import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An instance's subscription. Lettuce reconnects and resubscribes after a break; this replaces the connection if its
 * server hangs, does not know the subscription, or is not the one that publishes signals.
 * <p>Invariant: signals arrive if the last message of the instance to itself did. Each pulse sends one as a release
 * sends a signal, on the connection for commands. It counts as missed if it was published, and by the next pulse has
 * not arrived, or had no subscriber at that server, whose count decides whom releases signal and who is alive (on the
 * shards of a cluster or behind one address, a server counts only its own). One may get lost during a reconnect, so the
 * second in a row replaces the connection; then after twice as many each time, since behind some proxies none arrives.
 * Without an answer nothing is known: {@link RedisLink} counts the timeout.
 * <p>The opener's thread sets {@code current} before others see this object; after closing, no connection replaces it.
 * Pulses run on the client's event loop, one at a time, until this is closed. With each, it also looks for another
 * master and calls the mailbox.
 */
final class MailboxConnection {

    static final Duration PULSE = Duration.ofSeconds(5);

    private static final int MOST_MISSED = 2;

    /** Between two replacements. */
    private static final int MOST_PULSES = 64;

    final SignalMailbox mailbox;

    private final RedisConnector connector;
    private final Duration pulse;
    private final Executor opener;
    private final Supplier<CompletionStage<Long>> proof;
    private final Runnable onAnotherMaster;
    private final AtomicReference<@Nullable StatefulRedisPubSubConnection<String, String>> current =
            new AtomicReference<>();

    /** Of the last message; null until it is published. */
    private volatile @Nullable Long subscribers;

    private volatile int missed;

    /** @param proof publishes the message to oneself, and counts the subscribers */
    MailboxConnection(
            RedisConnector connector,
            Duration pulse,
            Executor opener,
            SignalMailbox mailbox,
            Supplier<CompletionStage<Long>> proof,
            Runnable onAnotherMaster) {
        this.connector = connector;
        this.pulse = pulse;
        this.opener = opener;
        this.mailbox = mailbox;
        this.proof = proof;
        this.onAnotherMaster = onAnotherMaster;
    }

    void open() {
        StatefulRedisPubSubConnection<String, String> first = connector.connectPubSub();
        current.set(first);
        subscribe(first);
        proveLater();
    }

    private void subscribe(StatefulRedisPubSubConnection<String, String> connection) {
        connection.addListener(mailbox);
        LettuceFutures.awaitOrCancel(
                connection.async().subscribe(mailbox.channel()),
                connection.getTimeout().toNanos(),
                TimeUnit.NANOSECONDS);
    }

    boolean hearsSignals() {
        StatefulRedisPubSubConnection<String, String> known = current.get();
        return known != null && known.isOpen() && missed == 0;
    }

    private void proveLater() {
        try {
            connector.loop().schedule(this::prove, pulse.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The client is shutting down, and the mailbox with it.
        }
    }

    private void prove() {
        StatefulRedisPubSubConnection<String, String> known = current.get();
        if (known == null) {
            return;
        }
        proveLater(); // first: whatever the rest throws, the next one is due
        connector.lookForAnotherMaster(onAnotherMaster);
        boolean arrived = mailbox.takeProof();
        Long counted = subscribers;
        if (counted != null) {
            missed = arrived && (counted > 0 || !mailbox.isCounted()) ? 0 : missed + 1;
        }
        subscribers = null;
        if (counted != null && missed >= MOST_MISSED && missed % doublingTo(missed) == 0) {
            opener.execute(() -> replace(known));
        } else {
            BackendGuard.stageOf(proof).thenAccept(count -> subscribers = count);
        }
        mailbox.onPulse();
    }

    private static int doublingTo(int pulses) {
        return Math.min(Integer.highestOneBit(pulses), MOST_PULSES);
    }

    /** Subscribes on another connection; commands are not affected. After a failure, a later pulse tries again. */
    private void replace(StatefulRedisPubSubConnection<String, String> known) {
        if (current.get() != known) {
            return;
        }
        try {
            StatefulRedisPubSubConnection<String, String> another = connector.connectPubSub();
            StatefulRedisPubSubConnection<String, String> surplus = another;
            try {
                subscribe(another);
                surplus = current.compareAndSet(known, another) ? known : another;
            } finally {
                surplus.closeAsync();
            }
        } catch (RuntimeException e) {
            // The server may hang or be unreachable.
        }
    }

    void close() {
        leave().ifPresent(StatefulRedisPubSubConnection::close);
    }

    void closeAsync() {
        leave().ifPresent(StatefulRedisPubSubConnection::closeAsync);
    }

    private Optional<StatefulRedisPubSubConnection<String, String>> leave() {
        return Optional.ofNullable(current.getAndSet(null));
    }
}
