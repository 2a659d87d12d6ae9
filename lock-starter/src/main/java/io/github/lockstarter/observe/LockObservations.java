package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.observe.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and what runs under locks: as spans, where there is a tracer. While nobody listens to the registry,
 * nothing is created.
 */
public final class LockObservations implements LockSurrounding {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;

    /**
     * Creates the surrounding.
     *
     * @param registry where the observations go
     * @param convention what they say
     */
    public LockObservations(ObservationRegistry registry, LockObservationConvention convention) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.convention = Objects.requireNonNull(convention, "convention");
    }

    @Override
    public LockSource around(LockSource source) {
        return new ObservedLocks(source, this);
    }

    /** The body's own observations become children of its section. */
    @Override
    public Closing enter(LockRequest request, LockHandle handle) {
        return handle instanceof ObservedHandle observed ? observed.openScope() : Closing.NOTHING;
    }

    boolean isIdle() {
        return registry.isNoop();
    }

    /** A started observation, below the one that is current on this thread. */
    Observed start(Phase phase, LockRequest request) {
        return start(phase, request, registry.getCurrentObservation());
    }

    Observed start(Phase phase, LockRequest request, @Nullable Observation parent) {
        LockObservationContext context = new LockObservationContext(phase, request);
        LockObservation kind = phase == Phase.ACQUISITION ? LockObservation.ACQUISITION : LockObservation.SECTION;
        Observation observation = Observation.createNotStarted(kind.getName(), () -> context, registry)
                .observationConvention(convention)
                .parentObservation(parent)
                .start();
        return new Observed(observation, context, parent);
    }

    /**
     * An observation that was started.
     *
     * @param observation the observation
     * @param context what it is about
     * @param parent what it is a part of
     */
    record Observed(
            Observation observation,
            LockObservationContext context,
            @Nullable Observation parent) {

        void stop(String outcome) {
            context.ended(outcome);
            observation.stop();
        }
    }
}
