package io.github.lockstarter.observe.tracing;

import io.github.lockstarter.HeldLocks;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockSource;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.observe.tracing.SafeObservations.Started;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The locks of a source, each acquisition and each section observed. */
final class ObservedLockSource implements LockSource {

    private static final String CONTENDED = "contended";

    private final LockSource source;
    private final SafeObservations observations;

    ObservedLockSource(LockSource source, SafeObservations observations) {
        this.source = source;
        this.observations = observations;
    }

    @Override
    public LockHandle acquire(LockRequest request) {
        return observed(request, () -> Optional.of(source.acquire(request))).orElseThrow();
    }

    @Override
    public Optional<LockHandle> tryAcquire(LockRequest request) {
        return observed(request, () -> source.tryAcquire(request));
    }

    private Optional<LockHandle> observed(LockRequest request, Supplier<Optional<LockHandle>> attempt) {
        if (observations.isIdle()) {
            return attempt.get();
        }
        Started acquisition = observations.startAcquisition(request);
        Optional<LockHandle> handle;
        try {
            handle = acquisition.call(attempt::get);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e);
            throw e;
        }
        if (handle.isEmpty()) {
            acquisition.stop(CONTENDED, null);
        }
        return handle.map(granted -> succeed(acquisition, granted));
    }

    @Override
    public CompletableFuture<LockHandle> acquireAsync(LockRequest request) {
        if (observations.isIdle()) {
            return source.acquireAsync(request);
        }
        Started acquisition = observations.startAcquisition(request);
        CompletableFuture<LockHandle> acquiring;
        try {
            acquiring = source.acquireAsync(request);
        } catch (RuntimeException | Error e) {
            fail(acquisition, e);
            throw e;
        }
        CompletableFuture<LockHandle> result = new CompletableFuture<>();
        acquiring.whenComplete((handle, failure) -> deliver(acquisition, handle, failure, result));
        result.whenComplete((handle, failure) -> acquiring.cancel(false)); // gives up, if it was not from in here
        return result;
    }

    private static void deliver(
            Started acquisition,
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
        LockHandle observed = succeed(acquisition, handle);
        if (!result.complete(observed)) {
            observed.closeAsync();
        }
    }

    /** Never fails: the lock is held, and no other code could release it. */
    private static LockHandle succeed(Started acquisition, LockHandle handle) {
        Started section = acquisition.startSection(handle.keys().size() == 1 ? handle.fencingToken() : 0);
        return section.isNoop() ? handle : new ObservedHandle(handle, section);
    }

    private static void fail(Started acquisition, Throwable failure) {
        if (failure instanceof LockNotAcquiredException) {
            acquisition.stop(CONTENDED, null); // an answer, no error
        } else if (failure instanceof LockInterruptedException || failure instanceof CancellationException) {
            acquisition.stop("interrupted", null);
        } else {
            acquisition.stop(failure instanceof LockStoreRecoveringException ? "recovering" : "error", failure);
        }
    }

    @Override
    public HeldLocks heldLocks() {
        return source.heldLocks();
    }
}
