package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KeyQueue} wants done outside of its lock, in this order: withdraw a wait, send an attempt, publish
 * what was decided, tell that an acquisition begins to wait.
 *
 * @param withdrawal token of the wait to withdraw
 * @param attempt the attempt to send
 * @param decided acquisitions whose outcome is decided and not yet published
 * @param queued the acquisition that begins to wait
 */
record Next(
        @Nullable LockToken withdrawal,
        @Nullable Attempt attempt,
        List<Acquisition> decided,
        @Nullable Acquisition queued) {

    static final Next NOTHING = new Next(null, null, List.of(), null);

    static Next attempt(Attempt attempt) {
        return new Next(null, attempt, List.of(), null);
    }

    static Next queued(Acquisition acquisition) {
        return new Next(null, null, List.of(), acquisition);
    }

    /** Whoever waits for what was decided hears of it. */
    void publish() {
        decided.forEach(each -> Faults.guard("Publishing an outcome", each::publish));
    }

    Next withdrawing(@Nullable LockToken token) {
        return new Next(token, attempt, decided, queued);
    }

    Next publishing(List<Acquisition> acquisitions) {
        return acquisitions.isEmpty() ? this : new Next(withdrawal, attempt, acquisitions, queued);
    }
}
