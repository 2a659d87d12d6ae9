package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.observe.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.Optional;

/**
 * Observes acquisitions and what runs under locks: as spans, where there is a tracer. While nobody listens to the registry,
 * nothing is created.
 */
public final class LockObservations implements LockSurrounding {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;
    private final ObservationFailures failures = new ObservationFailures();

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

    /** An acquisition, below the observation that is current on this thread. */
    Observed startAcquisition(LockRequest request) {
        Optional<Observation> parent = failures.guarded(
                "find its parent", () -> Optional.ofNullable(registry.getCurrentObservation()), Optional.empty());
        return Observed.start(this, new LockObservationContext(Phase.ACQUISITION, request), parent.orElse(null));
    }

    /** A section, beside its acquisition. */
    Observed startSection(LockRequest request, Observed acquisition) {
        return Observed.start(this, new LockObservationContext(Phase.SECTION, request), acquisition.parent());
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
