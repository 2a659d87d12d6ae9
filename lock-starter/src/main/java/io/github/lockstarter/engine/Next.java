package io.github.lockstarter.engine;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a {@link KeyQueue} wants done, in this order: set a timer, withdraw a wait, send an attempt, end acquisitions.
 *
 * @param withdrawal token of the wait to withdraw
 * @param attempt the attempt to send
 * @param sleeper whose timer to set
 * @param wakeAt monotonic time for it
 * @param ended acquisitions to end
 * @param outcome how they ended
 */
record Next(
        @Nullable LockToken withdrawal,
        @Nullable Attempt attempt,
        @Nullable Acquisition sleeper,
        long wakeAt,
        List<Acquisition> ended,
        @Nullable Outcome outcome) {

    static final Next NOTHING = new Next(null, null, null, 0, List.of(), null);

    static Next attempt(Attempt attempt) {
        return new Next(null, attempt, null, 0, List.of(), null);
    }

    static Next wakeAt(Acquisition sleeper, long wakeAt) {
        return new Next(null, null, sleeper, wakeAt, List.of(), null);
    }

    static Next withdraw(@Nullable LockToken token) {
        return new Next(token, null, null, 0, List.of(), null);
    }

    /** This timer, and the attempt. */
    Next attempting(Attempt now) {
        return new Next(withdrawal, now, sleeper, wakeAt, ended, outcome);
    }

    /** This withdrawal, and then the other step's attempt. */
    Next then(Next other) {
        return new Next(withdrawal, other.attempt, other.sleeper, other.wakeAt, other.ended, other.outcome);
    }

    Next ending(List<Acquisition> acquisitions, Outcome how) {
        return acquisitions.isEmpty() ? this : new Next(withdrawal, attempt, sleeper, wakeAt, acquisitions, how);
    }
}
