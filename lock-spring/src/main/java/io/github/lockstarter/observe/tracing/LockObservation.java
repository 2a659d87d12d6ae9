package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.io.Serial;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/** An acquisition or a section that is observed. Any thread may end it; the first end counts. */
final class LockObservation {

    private static final Observation.Event LOST = Observation.Event.of("lock.lost", "Lost the lock");

    private final LockObservationContext context;
    private final LockObservationConvention convention;
    private final Observation observation;
    private final AtomicBoolean isLost = new AtomicBoolean();
    private final AtomicBoolean hasEnded = new AtomicBoolean();

    /** Starts it. */
    LockObservation(
            Phase phase,
            LockRequest request,
            @Nullable Observation parent,
            ObservationRegistry registry,
            LockObservationConvention convention) {
        this.context = new LockObservationContext(phase, request);
        this.convention = convention;
        // Other names than those of the meters: a registry that makes meters of observations would otherwise meet one
        // name with two sets of tags.
        this.observation = Observation.createNotStarted(
                        "distributed.lock." + phase.name().toLowerCase(Locale.ROOT), () -> context, registry)
                .observationConvention(convention)
                .parentObservation(parent)
                .start();
    }

    boolean isNoop() {
        return observation.isNoop();
    }

    /** Makes it the current observation of this thread until the scope is closed. */
    Observation.Scope openScope() {
        return observation.openScope();
    }

    /** Runs a body as the current observation of this thread. */
    @SuppressWarnings("try") // nothing asks the scope
    <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> body) throws X {
        try (Observation.Scope scope = openScope()) {
            return body.run();
        }
    }

    /** The lock is held, under this fencing token; zero if there are several. */
    void granted(long fencingToken) {
        context.granted(fencingToken);
    }

    /** The lock was lost. */
    void lost() {
        if (!hasEnded.get() && isLost.compareAndSet(false, true)) {
            observation.event(LOST);
        }
    }

    /**
     * Ends it, even if a handler throws at the error.
     *
     * @param outcome the outcome
     * @param failure its error, if it has one; replaced where spans do not show keys
     */
    void stop(String outcome, @Nullable Throwable failure) {
        if (hasEnded.compareAndSet(false, true)) {
            context.ended(outcome);
            try {
                if (failure != null) {
                    observation.error(convention.showsKeys() ? failure : new RedactedException(failure, outcome));
                }
            } finally {
                observation.stop();
            }
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
