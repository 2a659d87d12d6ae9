package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.Serial;
import java.util.Locale;
import java.util.concurrent.CancellationException;
import org.jspecify.annotations.Nullable;

/**
 * An acquisition or a section that is observed, below the observation that is current on the thread that starts it. Any
 * thread ends it, once.
 */
final class LockObservation {

    private final LockObservationContext context;
    private final LockObservationConvention convention;
    private final Observation observation;
    private volatile long lostAtMillis; // 0 until the engine tells the loss

    /** Starts it. */
    LockObservation(
            Phase phase, LockRequest request, ObservationRegistry registry, LockObservationConvention convention) {
        this.context = new LockObservationContext(phase, request);
        this.convention = convention;
        // Other names than those of the meters: a registry that makes meters of observations would otherwise meet one
        // name with two sets of tags.
        this.observation = Observation.createNotStarted(
                        "distributed.lock." + phase.name().toLowerCase(Locale.ROOT), () -> context, registry)
                .observationConvention(convention)
                .start();
    }

    /** Makes it the current observation of this thread until the scope is closed. */
    Observation.Scope openScope() {
        return observation.openScope();
    }

    /** The acquisition has ended with the lock, which is given back if a handler throws. */
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

    /** The acquisition has ended without the lock. */
    void failed(Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            stop("contended", null); // an answer, no error
        } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
            stop("interrupted", null);
        } else {
            stop(failure instanceof LockStoreRecoveringException ? "recovering" : "error", failure);
        }
    }

    /** The section has begun. */
    void begun(LockHandle handle) {
        show(handle);
        handle.onLost(() -> lostAtMillis = System.currentTimeMillis());
    }

    /**
     * The section has ended: with a stage, perhaps right behind the release. The loss becomes an event here, with its
     * own time: the thread that tells it may be later than the end.
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
     * Ends it, even if a handler throws at the error.
     *
     * @param outcome the outcome
     * @param failure its error, if it has one; replaced where spans do not show keys
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

    /**
     * Stands for an exception where spans do not show keys: tracers record messages, and ours name the key, as may
     * those of the causes. Has the type, the outcome and the stack of the original.
     */
    private static final class RedactedException extends RuntimeException {

        @Serial
        private static final long serialVersionUID = 1L;

        private RedactedException(Throwable original, String outcome) {
            super(original.getClass().getName() + " (" + outcome + ")", null, false, true);
            setStackTrace(original.getStackTrace());
        }
    }
}
