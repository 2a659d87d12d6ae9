package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.observe.LockDecorator.Scope;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import org.jspecify.annotations.Nullable;

/**
 * One observation, whose convention and handlers belong to the application: what they throw is logged and goes nowhere
 * else, so that no lock is kept, and no outcome is hidden, for the sake of a span. Thread-safe as far as they are.
 */
final class SafeObservation {

    private final ObservationFailures failures;
    private final ObservationRegistry registry;
    private final LockObservationContext context;
    private final @Nullable Observation parent;
    private final Observation observation;

    private SafeObservation(
            ObservationFailures failures,
            ObservationRegistry registry,
            LockObservationContext context,
            @Nullable Observation parent,
            Observation observation) {
        this.failures = failures;
        this.registry = registry;
        this.context = context;
        this.parent = parent;
        this.observation = observation;
    }

    /** Starts one; one that does not start does nothing from then on. */
    static SafeObservation start(
            LockObservations observations, LockObservationContext context, @Nullable Observation parent) {
        LockObservation kind =
                context.phase() == Phase.ACQUISITION ? LockObservation.ACQUISITION : LockObservation.SECTION;
        ObservationRegistry registry = observations.registry();
        Observation started = observations
                .failures()
                .guarded(
                        "be started",
                        () -> Observation.createNotStarted(kind.getName(), () -> context, registry)
                                .observationConvention(observations.convention())
                                .parentObservation(parent)
                                .start(),
                        Observation.NOOP);
        return new SafeObservation(observations.failures(), registry, context, parent, started);
    }

    /** Whether it was started. */
    boolean isStarted() {
        return !observation.isNoop();
    }

    @Nullable
    Observation parent() {
        return parent;
    }

    void granted(long fencingToken) {
        context.granted(fencingToken);
    }

    /**
     * Makes it the current one of this thread. Whatever fails, the one before is the current one again after the
     * closing.
     */
    Scope openScope() {
        Observation.@Nullable Scope before = registry.getCurrentObservationScope();
        Scope restoring = () -> registry.setCurrentObservationScope(before);
        Observation.Scope opened = failures.guarded("open its scope", observation::openScope, Observation.Scope.NOOP);
        if (opened == Observation.Scope.NOOP) {
            restoring.close();
            return Scope.NOTHING;
        }
        return () -> {
            if (!failures.guarded("close its scope", opened::close)) {
                restoring.close();
            }
        };
    }

    void event(Observation.Event event) {
        failures.guarded("take an event", () -> observation.event(event));
    }

    /** Ends it with what was thrown, which its key is kept out of if spans are not to show it. */
    void fail(String outcome, Throwable thrown, boolean showsKeys) {
        failures.guarded(
                "take an error", () -> observation.error(showsKeys ? thrown : new RedactedException(thrown, outcome)));
        stop(outcome);
    }

    void stop(String outcome) {
        context.ended(outcome);
        failures.guarded("be stopped", observation::stop);
    }
}
