package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.observe.LockDecorator.Scope;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import org.jspecify.annotations.Nullable;

/** The locks of a source, each acquisition and each section observed. */
final class ObservedLockSource implements LockSource {

    private static final String ACQUIRED = "acquired";
    private static final String CONTENDED = "contended";
    private static final String INTERRUPTED = "interrupted";
    private static final String RECOVERING = "recovering";
    private static final String ERROR = "error";

    private final LockSource source;
    private final LockObservations observations;

    ObservedLockSource(LockSource source, LockObservations observations) {
        this.source = source;
        this.observations = observations;
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        if (observations.isIdle()) {
            return source.acquire(request);
        }
        SafeObservation acquisition = observations.startAcquisition(request);
        LockHandle handle;
        Scope scope = acquisition.openScope();
        try {
            handle = source.acquire(request);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e);
            throw e;
        } finally {
            scope.close();
        }
        return succeed(acquisition, request, handle);
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        if (observations.isIdle()) {
            return source.tryAcquire(request);
        }
        SafeObservation acquisition = observations.startAcquisition(request);
        Optional<LockHandle> handle;
        Scope scope = acquisition.openScope();
        try {
            handle = source.tryAcquire(request);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e);
            throw e;
        } finally {
            scope.close();
        }
        if (handle.isEmpty()) {
            acquisition.stop(CONTENDED);
            return handle;
        }
        return Optional.of(succeed(acquisition, request, handle.get()));
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        if (observations.isIdle()) {
            return source.acquireAsync(request);
        }
        SafeObservation acquisition = observations.startAcquisition(request);
        CompletableFuture<LockHandle> acquiring;
        try {
            acquiring = source.acquireAsync(request);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e);
            throw e;
        }
        CompletableFuture<LockHandle> result = new CompletableFuture<>();
        acquiring.whenComplete((handle, failure) -> deliver(acquisition, request, handle, failure, result));
        result.whenComplete((handle, failure) -> acquiring.cancel(false)); // gives up, if it was not from in here
        return result;
    }

    private void deliver(
            SafeObservation acquisition,
            LockRequest request,
            @Nullable LockHandle handle,
            @Nullable Throwable failure,
            CompletableFuture<LockHandle> result) {
        if (handle == null) {
            Throwable cause = failure instanceof CompletionException && failure.getCause() != null
                    ? failure.getCause()
                    : failure == null ? new IllegalStateException("The source granted no handle") : failure;
            fail(acquisition, cause);
            result.completeExceptionally(cause);
            return;
        }
        LockHandle observed = succeed(acquisition, request, handle);
        if (!result.complete(observed)) {
            observed.release();
        }
    }

    /** Never fails: the lock is held, and nobody else could release it. */
    private LockHandle succeed(SafeObservation acquisition, LockRequest request, LockHandle handle) {
        long fencingToken = handle.keys().size() == 1 ? handle.fencingToken() : 0;
        acquisition.granted(fencingToken);
        acquisition.stop(ACQUIRED);
        SafeObservation section = observations.startSection(request, acquisition);
        if (!section.isStarted()) {
            return handle;
        }
        section.granted(fencingToken);
        return new ObservedHandle(handle, section, observations.convention().showsKeys());
    }

    private void fail(SafeObservation acquisition, Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            acquisition.stop(CONTENDED); // an answer, no error
        } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
            acquisition.stop(INTERRUPTED);
        } else if (failure instanceof LockStoreRecoveringException) {
            acquisition.fail(RECOVERING, failure, observations.convention().showsKeys());
        } else {
            acquisition.fail(ERROR, failure, observations.convention().showsKeys());
        }
    }

    @Override
    public HeldLocks heldLocks() {
        return source.heldLocks();
    }
}
