package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Function;

/**
 * Subscribes to the mailbox of an instance, and subscribes again on another connection when the current one fails.
 *
 * <p>The first subscription is made by the thread that opens the link, the others by the same executor; the pulse of
 * the mailbox asks for them from the client's threads.
 */
final class MailboxSubscriptions {

    private final RedisConnector connector;
    private final Duration pulse;
    private final Executor opener;
    private final Function<ConnectionPair, Optional<SignalMailbox>> mailboxOf;

    /**
     * Subscribes to nothing yet.
     *
     * @param connector opens the connections
     * @param pulse time between two looks at the mailbox
     * @param opener runs what blocks
     * @param mailboxOf the mailbox of a link; empty once it is not the open one any more
     */
    MailboxSubscriptions(
            RedisConnector connector,
            Duration pulse,
            Executor opener,
            Function<ConnectionPair, Optional<SignalMailbox>> mailboxOf) {
        this.connector = connector;
        this.pulse = pulse;
        this.opener = opener;
        this.mailboxOf = mailboxOf;
    }

    /** Subscribes for the first time, and has the mailbox looked after from then on. Blocks. */
    void subscribe(ConnectionPair routes, SignalMailbox mailbox) {
        MailboxSubscription signals = new MailboxSubscription(connector.connectPubSub());
        routes.subscribe(mailbox, signals);
        watch(routes, signals);
    }

    private void watch(ConnectionPair routes, MailboxSubscription signals) {
        MailboxPulse watching = new MailboxPulse(
                signals.connection(), pulse, () -> routes.hearsOn(signals), () -> resubscribe(routes, () -> {}));
        routes.watchedBy(watching);
        watching.begin();
    }

    /** Subscribes again, unless that is under way for this very subscription. Returns at once. */
    void replace(ConnectionPair routes, MailboxSubscription unheard) {
        if (unheard.beginReplacement()) {
            resubscribe(routes, unheard::endReplacement);
        }
    }

    /** Commands go on meanwhile. If it fails, the pulse and the heartbeats ask for it again. Returns at once. */
    private void resubscribe(ConnectionPair routes, Runnable onFailure) {
        try {
            opener.execute(() -> {
                try {
                    mailboxOf.apply(routes).ifPresent(mailbox -> resubscribe(routes, mailbox));
                } catch (RuntimeException e) {
                    onFailure.run(); // the server may hang, or be away
                }
            });
        } catch (RejectedExecutionException e) {
            // Closed.
        }
    }

    private void resubscribe(ConnectionPair routes, SignalMailbox mailbox) {
        MailboxSubscription signals = new MailboxSubscription(connector.connectPubSub());
        routes.resubscribe(mailbox, signals);
        watch(routes, signals);
    }
}
