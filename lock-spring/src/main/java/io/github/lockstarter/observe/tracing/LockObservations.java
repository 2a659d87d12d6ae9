package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.observe.LockDecorator;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.Optional;

/**
 * Observes acquisitions and what runs under locks: as spans, where there is a tracer. While nobody listens to the
 * registry, nothing is created.
 */
public final class LockObservations implements LockDecorator {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;
    private final ObservationFailures failures = new ObservationFailures();

    /**
     * Creates the decorator.
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
        return new ObservedLockSource(source, this);
    }

    /** The body's own observations become children of its section. */
    @Override
    public Scope enter(LockRequest request, LockHandle handle) {
        return handle instanceof ObservedHandle observed ? observed.openScope() : Scope.NOTHING;
    }

    boolean isIdle() {
        return registry.isNoop();
    }

    /** An acquisition, below the observation that is current on this thread. */
    SafeObservation startAcquisition(LockRequest request) {
        Optional<Observation> parent = failures.guarded(
                "find its parent", () -> Optional.ofNullable(registry.getCurrentObservation()), Optional.empty());
        return SafeObservation.start(this, new LockObservationContext(Phase.ACQUISITION, request), parent.orElse(null));
    }

    /** A section, beside its acquisition. */
    SafeObservation startSection(LockRequest request, SafeObservation acquisition) {
        return SafeObservation.start(this, new LockObservationContext(Phase.SECTION, request), acquisition.parent());
    }

    ObservationRegistry registry() {
        return registry;
    }

    LockObservationConvention convention() {
        return convention;
    }

    ObservationFailures failures() {
        return failures;
    }
}
