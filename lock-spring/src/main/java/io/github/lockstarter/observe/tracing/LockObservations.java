package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.observe.LockDecorator;
import io.github.lockstarter.observe.tracing.LockObservationContext.Phase;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and what runs under locks: as spans, where there is a tracer. While the registry has no
 * listener, nothing is created. A convention or a handler that throws fails the call, as in every observation of
 * Micrometer; a lock that was granted is released.
 */
public final class LockObservations implements LockDecorator {

    private final ObservationRegistry registry;
    private final LockObservationConvention convention;

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
        return new ObservedSource(source);
    }

    /** The body's own observations become children of its section. */
    @Override
    public <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X {
        return handle instanceof ObservedHandle observed ? observed.section().call(body) : body.run();
    }

    private final class ObservedSource implements LockSource {

        private final LockSource source;

        private ObservedSource(LockSource source) {
            this.source = source;
        }

        @Override
        public LockHandle acquire(LockRequest request) {
            return observed(request, () -> Optional.of(source.acquire(request))).orElseThrow();
        }

        @Override
        public Optional<LockHandle> tryAcquire(LockRequest request) {
            return observed(request, () -> source.tryAcquire(request));
        }

        /** What the attempt observes on this thread becomes a child of the acquisition. */
        @SuppressWarnings("try") // nothing asks the scope
        private Optional<LockHandle> observed(LockRequest request, Supplier<Optional<LockHandle>> attempt) {
            if (registry.isNoop()) {
                return attempt.get();
            }
            Acquisition acquisition = new Acquisition(request);
            Optional<LockHandle> handle = Optional.empty();
            try (Observation.Scope scope = acquisition.observation.openScope()) {
                handle = attempt.get();
            } catch (RuntimeException | Error e) {
                try {
                    acquisition.failed(e);
                } finally {
                    handle.ifPresent(LockHandle::closeAsync); // the scope could not be closed
                }
                throw e;
            }
            if (handle.isEmpty()) {
                acquisition.observation.stop("contended", null);
            }
            return handle.map(acquisition::granted);
        }

        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            if (registry.isNoop()) {
                return source.acquireAsync(request);
            }
            Acquisition acquisition = new Acquisition(request);
            CompletableFuture<LockHandle> acquiring;
            try {
                acquiring = source.acquireAsync(request);
            } catch (RuntimeException | Error e) {
                acquisition.failed(e);
                throw e;
            }
            CompletableFuture<LockHandle> result = new CompletableFuture<>();
            acquiring
                    .whenComplete((handle, failure) -> {
                        if (failure != null) {
                            acquisition.failed(failure);
                        }
                    })
                    .thenApply(acquisition::granted)
                    .whenComplete((handle, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(unwrapped(failure));
                        } else if (!result.complete(handle)) {
                            handle.closeAsync();
                        }
                    });
            result.whenComplete((handle, failure) -> acquiring.cancel(false)); // if the caller gave up
            return result;
        }

        @Override
        public HeldLocks heldLocks() {
            return source.heldLocks();
        }
    }

    private static Throwable unwrapped(Throwable failure) {
        Throwable cause = failure.getCause();
        return failure instanceof CompletionException && cause != null ? cause : failure;
    }

    /** Below the observation that is current on this thread, as is its section. */
    private final class Acquisition {

        private final @Nullable Observation parent = registry.getCurrentObservation();
        private final LockRequest request;
        private final LockObservation observation;

        private Acquisition(LockRequest request) {
            this.request = request;
            this.observation = start(Phase.ACQUISITION);
        }

        private LockObservation start(Phase phase) {
            return new LockObservation(phase, request, parent, registry, convention);
        }

        private LockHandle granted(LockHandle handle) {
            try {
                long fencingToken = handle.keys().size() == 1 ? handle.fencingToken() : 0;
                observation.granted(fencingToken);
                observation.stop("acquired", null);
                LockObservation section = start(Phase.SECTION);
                section.granted(fencingToken);
                return section.isNoop() ? handle : new ObservedHandle(handle, section);
            } catch (RuntimeException | Error e) {
                handle.closeAsync();
                throw e;
            }
        }

        private void failed(Throwable thrown) {
            Throwable failure = unwrapped(thrown);
            if (failure instanceof LockNotAcquiredException) {
                observation.stop("contended", null); // an answer, no error
            } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
                observation.stop("interrupted", null);
            } else {
                observation.stop(failure instanceof LockStoreRecoveringException ? "recovering" : "error", failure);
            }
        }
    }
}
