package io.github.lockstarter.observe;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockedAction;
import io.github.lockstarter.observe.LockObservation.KeyDisplay;
import io.github.lockstarter.spi.BackendGuard;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes acquisitions and locked sections, unless the registry has no handler. A handler that throws fails the call,
 * as in every Micrometer observation, and a granted lock is released.
 */
final class LockObservations implements LockDecorator {

    private final ObservationRegistry registry;
    private final KeyDisplay keys;

    LockObservations(ObservationRegistry registry, KeyDisplay keys) {
        this.registry = registry;
        this.keys = keys;
    }

    private LockObservation acquisition(LockRequest request) {
        return new LockObservation(
                "distributed.lock.acquisition", "acquire " + request.name(), request, keys, registry);
    }

    private LockObservation section(LockRequest request) {
        return new LockObservation("distributed.lock.section", "lock " + request.name(), request, keys, registry);
    }

    @Override
    public LockSource around(LockSource source) {
        return new ObservedSource(source);
    }

    /** The section ends with the body or the stage that it returns. */
    @Override
    @SuppressWarnings("try") // the scope is only closed
    public <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X {
        if (registry.isNoop()) {
            return body.run();
        }
        LockObservation section = section(request);
        section.begun(handle);
        T result;
        try (Observation.Scope scope = section.openScope()) {
            result = body.run();
        } catch (Throwable failure) {
            try {
                section.ended(handle);
            } catch (RuntimeException | Error e) {
                failure.addSuppressed(e); // the body's failure takes precedence
            }
            throw failure;
        }
        if (result instanceof CompletionStage<?> stage) {
            stage.whenComplete((value, failure) -> section.ended(handle));
        } else {
            section.ended(handle);
        }
        return result;
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

        /** Observations of the attempt on this thread are children of the acquisition. */
        @SuppressWarnings("try") // the scope is only closed
        private Optional<LockHandle> observed(LockRequest request, Supplier<Optional<LockHandle>> attempt) {
            if (registry.isNoop()) {
                return attempt.get();
            }
            LockObservation acquisition = acquisition(request);
            Optional<LockHandle> handle = Optional.empty();
            try (Observation.Scope scope = acquisition.openScope()) {
                handle = attempt.get();
            } catch (RuntimeException | Error e) {
                try {
                    acquisition.failed(e);
                } finally {
                    handle.ifPresent(LockHandle::closeAsync); // closing the scope failed
                }
                throw e;
            }
            if (handle.isEmpty()) {
                acquisition.stop("contended", null);
            }
            return handle.map(acquisition::granted);
        }

        @Override
        public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
            if (registry.isNoop()) {
                return source.acquireAsync(request);
            }
            Observation callers = registry.getCurrentObservation();
            LockObservation acquisition = acquisition(request);
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
                            acquisition.failed(BackendGuard.causeOf(failure));
                        }
                    })
                    .thenApply(acquisition::granted)
                    .whenComplete((handle, failure) -> {
                        if (failure != null) {
                            result.completeExceptionally(BackendGuard.causeOf(failure));
                        } else {
                            complete(result, handle, callers);
                        }
                    });
            result.whenComplete((handle, failure) -> acquiring.cancel(false)); // if the caller gave up
            return result;
        }

        /** The grant's continuations on this thread run below the caller's observation. */
        @SuppressWarnings("try") // the scope is only closed
        private static void complete(
                CompletableFuture<LockHandle> result, LockHandle handle, @Nullable Observation callers) {
            boolean taken = false;
            try (Observation.Scope scope = callers == null ? Observation.Scope.NOOP : callers.openScope()) {
                taken = result.complete(handle);
            } catch (RuntimeException | Error e) {
                result.completeExceptionally(e); // opening the scope failed
            } finally {
                if (!taken) {
                    handle.closeAsync();
                }
            }
        }

        @Override
        public HeldLocks heldLocks() {
            return source.heldLocks();
        }
    }
}
