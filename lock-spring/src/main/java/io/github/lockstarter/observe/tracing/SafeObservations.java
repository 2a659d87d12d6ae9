package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Observations whose convention and handlers belong to the application: what they throw is logged and goes nowhere
 * else, so that no lock is kept, and no outcome is hidden, for the sake of a span. Thread-safe; {@link #reported} has
 * the kinds of failures that were logged, and only grows.
 */
final class SafeObservations {

    private static final Logger log = LoggerFactory.getLogger("io.github.lockstarter.observe.tracing.LockObservations");

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();

    SafeObservations(ObservationRegistry registry, LockObservationConvention convention) {
        this.registry = Objects.requireNonNull(registry, "registry");
        this.convention = Objects.requireNonNull(convention, "convention");
    }

    /** Whether the registry has no listener, so that nothing is to be created. */
    boolean isIdle() {
        return registry.isNoop();
    }

    /** Starts an acquisition, below the observation that is current on this thread. */
    Started startAcquisition(LockRequest request) {
        Optional<Observation> parent = guarded(
                "find its parent", () -> Optional.ofNullable(registry.getCurrentObservation()), Optional.empty());
        return new Started(LockObservation.ACQUISITION, Phase.ACQUISITION, request, parent.orElse(null));
    }

    private boolean guarded(String what, Runnable call) {
        return guarded(
                what,
                () -> {
                    call.run();
                    return true;
                },
                false);
    }

    /** Returns what the call returns, or the substitute when it throws. */
    private <R> R guarded(String what, Supplier<R> call, R substitute) {
        try {
            return call.get();
        } catch (RuntimeException | Error e) {
            if (reported.add(what)) {
                log.warn(
                        "The observation of a lock could not {}; locks are not affected, and further failures of this kind"
                                + " are not logged. Check the observation handlers and the LockObservationConvention",
                        what,
                        e);
            }
            return substitute;
        }
    }

    /** One observation. If its start fails, it does nothing. Thread-safe as far as the handlers are. */
    final class Started {

        private final LockObservationContext context;
        private final @Nullable Observation parent;
        private final Observation observation;

        private Started(LockObservation kind, Phase phase, LockRequest request, @Nullable Observation parent) {
            this.context = new LockObservationContext(phase, request);
            this.parent = parent;
            this.observation = guarded(
                    "be started",
                    () -> Observation.createNotStarted(kind.getName(), () -> context, registry)
                            .observationConvention(convention)
                            .parentObservation(parent)
                            .start(),
                    Observation.NOOP);
        }

        boolean isNoop() {
            return observation.isNoop();
        }

        /** Ends an acquisition, and starts the section beside it; zero stands for several fencing tokens. */
        Started startSection(long fencingToken) {
            context.granted(fencingToken);
            stop("acquired", null);
            Started section = new Started(LockObservation.SECTION, Phase.SECTION, context.request(), parent);
            section.context.granted(fencingToken);
            return section;
        }

        /** Runs the body as the current observation of this thread; the one before is current again afterwards. */
        <T extends @Nullable Object, X extends Throwable> T call(LockedAction<T, X> body) throws X {
            Observation.@Nullable Scope before = registry.getCurrentObservationScope();
            Observation.Scope scope = guarded("open its scope", observation::openScope, Observation.Scope.NOOP);
            if (scope == Observation.Scope.NOOP) {
                registry.setCurrentObservationScope(before);
            }
            try {
                return body.run();
            } finally {
                if (scope != Observation.Scope.NOOP && !guarded("close its scope", scope::close)) {
                    registry.setCurrentObservationScope(before);
                }
            }
        }

        void event(Observation.Event event) {
            guarded("take an event", () -> observation.event(event));
        }

        /** Ends it; what was thrown is replaced where spans are not to show keys. */
        void stop(String outcome, @Nullable Throwable thrown) {
            if (thrown != null) {
                Throwable shown = convention.showsKeys() ? thrown : new RedactedException(thrown, outcome);
                guarded("take an error", () -> observation.error(shown));
            }
            context.ended(outcome);
            guarded("be stopped", observation::stop);
        }
    }
}
