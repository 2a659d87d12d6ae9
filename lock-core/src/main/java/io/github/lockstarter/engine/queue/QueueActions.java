package io.github.lockstarter.engine.queue;

import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.spi.LockToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KeyQueue} wants done outside of its lock, in this order: withdraw a wait, send an attempt, publish
 * what was decided, report that an acquisition begins to wait.
 *
 * @param withdrawal token of the wait to withdraw
 * @param attempt the attempt to send
 * @param decided acquisitions whose outcome is decided and not yet published
 * @param queued the acquisition that begins to wait
 */
public record QueueActions(
        @Nullable LockToken withdrawal,
        @Nullable AcquireAttempt attempt,
        List<Acquisition> decided,
        @Nullable Acquisition queued) {

    public static final QueueActions NOTHING = new QueueActions(null, null, List.of(), null);

    static QueueActions attempt(AcquireAttempt attempt) {
        return new QueueActions(null, attempt, List.of(), null);
    }

    static QueueActions queued(Acquisition acquisition) {
        return new QueueActions(null, null, List.of(), acquisition);
    }

    /** Completes the outcomes that were decided; their callers go on. */
    public void publish() {
        for (int i = 0; i < decided.size(); i++) {
            EngineLog.guard("Publishing an outcome", Acquisition::publish, decided.get(i));
        }
    }

    QueueActions withdrawing(@Nullable LockToken token) {
        return new QueueActions(token, attempt, decided, queued);
    }

    public QueueActions publishing(List<Acquisition> acquisitions) {
        return acquisitions.isEmpty() ? this : new QueueActions(withdrawal, attempt, acquisitions, queued);
    }
}
