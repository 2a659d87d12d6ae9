package io.github.lockstarter.redis.connection;

import io.lettuce.core.pubsub.StatefulRedisPubSubConnection;
import java.time.Duration;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Checks repeatedly that the server of a mailbox answers. Nothing else shows it: a mailbox that hears nothing and one
 * whose server hangs look alike, and commands may go to other servers of the cluster, or on a connection that works.
 *
 * <p>Runs on the client's timer and event loop, one look at a time, which alone use {@code missed} and write
 * {@code silent}. Ends by itself once the mailbox is heard on another connection, or not at all.
 */
final class MailboxPulse implements Runnable {

    /** Between an answer and the next question. */
    static final Duration PERIOD = Duration.ofSeconds(5);

    private final StatefulRedisPubSubConnection<String, String> connection;
    private final Duration period;
    private final BooleanSupplier wanted;
    private final Runnable onSilence;
    private int missed;
    private volatile boolean silent;

    /**
     * Asks nothing yet.
     *
     * @param connection of the mailbox
     * @param period between an answer and the next question
     * @param wanted whether signals still arrive there; once false, this ends
     * @param onSilence called when the server hangs, and again as long as it does; returns at once
     */
    MailboxPulse(
            StatefulRedisPubSubConnection<String, String> connection,
            Duration period,
            BooleanSupplier wanted,
            Runnable onSilence) {
        this.connection = connection;
        this.period = period;
        this.wanted = wanted;
        this.onSilence = onSilence;
    }

    /** Begins with the first period. */
    void begin() {
        try {
            connection.getResources().eventExecutorGroup().schedule(this, period.toNanos(), TimeUnit.NANOSECONDS);
        } catch (RejectedExecutionException e) {
            // The client is being shut down, and with it the mailbox.
        }
    }

    @Override
    public void run() {
        if (!wanted.getAsBoolean()) {
            return;
        }
        if (connection.isOpen()) {
            connection.async().ping().whenComplete((answer, failure) -> recordReply(failure));
        } else {
            recordReply(null); // it is being opened again, which the mailbox reports itself
        }
    }

    /** Whether the last question was not answered. */
    boolean isSilent() {
        return silent;
    }

    private void recordReply(@Nullable Throwable failure) {
        silent = failure != null;
        missed = failure == null ? 0 : missed + 1;
        if (missed == 0) {
            begin();
        } else if (missed < RedisLink.MOST_TIMEOUTS) {
            run();
        } else {
            missed = 0;
            onSilence.run();
            begin();
        }
    }
}
