package io.github.lockstarter.observe;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.observe.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.Serial;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * The observation of an acquisition or a section, below the current observation of its starting thread. Any thread
 * stops it, once.
 */
final class LockObservation {

    private final LockObservationContext context;
    private final LockObservationConvention convention;
    private final Observation observation;
    private volatile long lostAtMillis; // 0 until the engine reports the loss

    LockObservation(
            Phase phase, LockRequest request, ObservationRegistry registry, LockObservationConvention convention) {
        this.context = new LockObservationContext(phase, request);
        this.convention = convention;
        // Differs from the meter names: a registry that derives meters from observations would register one name with
        // two sets of tags.
        this.observation = Observation.createNotStarted(
                        "distributed.lock." + phase.name().toLowerCase(Locale.ROOT), () -> context, registry)
                .observationConvention(convention)
                .start();
    }

    Observation.Scope openScope() {
        return observation.openScope();
    }

    /** Releases the lock if a handler throws. */
    LockHandle granted(LockHandle handle) {
        try {
            show(handle);
            stop("acquired", null);
            return handle;
        } catch (RuntimeException | Error e) {
            handle.closeAsync();
            throw e;
        }
    }

    void failed(Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            stop("contended", null); // not an error
        } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
            stop("interrupted", null);
        } else {
            stop(failure instanceof LockStoreRecoveringException ? "recovering" : "error", failure);
        }
    }

    void begun(LockHandle handle) {
        show(handle);
        handle.onLost(() -> lostAtMillis = System.currentTimeMillis());
    }

    /**
     * The section may end just after the release. Records a loss with its own time: the thread that reports it may be
     * later than the end.
     */
    void ended(LockHandle handle) {
        long lostAt = lostAtMillis;
        if (lostAt == 0 && handle.state() != HoldState.LOST) {
            stop("held", null);
            return;
        }
        try {
            long at = lostAt == 0 ? System.currentTimeMillis() : lostAt;
            observation.event(Observation.Event.of("lock.lost", "Lost the lock", at));
        } finally {
            stop("lost", null);
        }
    }

    private void show(LockHandle handle) {
        context.granted(handle.keys().size() == 1 ? handle.fencingToken() : 0);
    }

    /**
     * Stops even if a handler of the error throws.
     *
     * @param failure replaced by its type if spans must not show keys
     */
    void stop(String outcome, @Nullable Throwable failure) {
        context.ended(outcome);
        try {
            if (failure != null) {
                observation.error(convention.showsKeys() ? failure : new RedactedException(failure, outcome));
            }
        } finally {
            observation.stop();
        }
    }

    /** An exception's message and causes may contain the key. Keeps type, outcome and stack trace. */
    private static final class RedactedException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        private RedactedException(Throwable original, String outcome) {
            super(original.getClass().getName() + " (" + outcome + ")", null, false, true);
            setStackTrace(original.getStackTrace());
        }
    }
}
