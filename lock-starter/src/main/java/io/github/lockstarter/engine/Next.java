package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KeyQueue} wants done outside of its monitor, in this order: withdraw a wait, send an attempt, end
 * acquisitions, tell that one begins to wait.
 *
 * @param withdrawal token of the wait to withdraw
 * @param attempt the attempt to send
 * @param ended acquisitions to end
 * @param outcome how they ended
 * @param queued the acquisition that begins to wait
 */
record Next(
        @Nullable LockToken withdrawal,
        @Nullable Attempt attempt,
        List<Acquisition> ended,
        @Nullable Outcome outcome,
        @Nullable Acquisition queued) {

    static final Next NOTHING = new Next(null, null, List.of(), null, null);

    static Next attempt(Attempt attempt) {
        return new Next(null, attempt, List.of(), null, null);
    }

    static Next queued(Acquisition acquisition) {
        return new Next(null, null, List.of(), null, acquisition);
    }

    Next withdrawing(@Nullable LockToken token) {
        return new Next(token, attempt, ended, outcome, queued);
    }

    Next ending(List<Acquisition> acquisitions, Outcome how) {
        return acquisitions.isEmpty() ? this : new Next(withdrawal, attempt, acquisitions, how, queued);
    }
}
