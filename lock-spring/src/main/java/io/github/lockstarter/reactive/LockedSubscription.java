package io.github.lockstarter.reactive;

import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * The lock of one subscription. Invariant: the work is subscribed to under the lock.
 *
 * <p>The subscribing thread sets {@link #enclosing} and {@link #acquiring} before the subscriber can cancel. The future
 * completes once, with a grant, a refusal or a cancellation; the lock client releases a later grant. {@link #start}
 * decides between the start and a cancellation; a later cancellation releases the lock after the subscribing call
 * ({@link #isStarted}). {@code usingWhen} calls exactly one of {@link #complete}, {@link #fail} and {@link #cancel}.
 */
final class LockedSubscription {

    private enum Start {
        NOT_YET,
        BEGUN,
        CANCELLED
    }

    private final AtomicReference<Start> start = new AtomicReference<>(Start.NOT_YET);
    private final CompletableFuture<@Nullable Void> isStarted = new CompletableFuture<>();
    private final LockOperations locks;
    private final LockRequest request;
    private volatile LockContext enclosing = LockContext.NONE;
    private volatile @Nullable CompletableFuture<LockHandle> acquiring;

    LockedSubscription(LockOperations locks, LockRequest request) {
        this.locks = locks;
        this.request = request;
    }

    /** @param otherwise applied to failures of the acquisition, not of the work */
    <P> Mono<P> acquireThen(Function<LockHandle, P> work, Function<LockException, P> otherwise) {
        return acquireHandle()
                .map(work)
                .onErrorResume(
                        failure ->
                                failure instanceof LockNotAcquiredException || failure instanceof LockBackendException,
                        refusal -> Mono.just(otherwise.apply((LockException) refusal)));
    }

    /** Re-enters a lock that the subscriber holds. */
    private Mono<LockHandle> acquireHandle() {
        return Mono.deferContextual(subscriber -> {
            LockContext context = ReactiveLockOperations.contextOf(subscriber);
            enclosing = context;
            CompletableFuture<LockHandle> future = context.reenter(request, locks.heldLocks())
                    .map(CompletableFuture::completedFuture)
                    .orElseGet(() -> locks.acquireAsync(request));
            acquiring = future;
            return Mono.fromFuture(future, true);
        });
    }

    /** The lock is in the work's context, and released after the work or the loss. */
    <T> Mono<T> run(LockHandle handle, Mono<T> work) {
        Mono<T> locked = Mono.fromDirect(startOnce(handle, work)).contextWrite(context -> within(handle, context));
        return (cancelsOnLoss(handle) ? locked.takeUntilOther(lost(handle)) : locked)
                .singleOptional()
                .flatMap(value -> close(handle).then(Mono.justOrEmpty(value)));
    }

    <T> Flux<T> run(LockHandle handle, Flux<T> work) {
        Flux<T> locked = Flux.from(startOnce(handle, work)).contextWrite(context -> within(handle, context));
        return (cancelsOnLoss(handle) ? locked.takeUntilOther(lost(handle)) : locked)
                .concatWith(close(handle).then(Mono.empty()));
    }

    /**
     * Reactor throws fatal errors, such as a {@link LinkageError}, on the operator's thread instead of signalling them.
     * They are caught on the subscribing thread; on others, only {@code max-hold} bounds the hold.
     */
    private <T> Publisher<T> startOnce(LockHandle handle, Publisher<T> work) {
        return subscriber -> {
            if (!start.compareAndSet(Start.NOT_YET, Start.BEGUN)) {
                Mono.<T>empty().subscribe(subscriber);
                return;
            }
            try {
                work.subscribe(subscriber);
            } catch (RuntimeException | Error fatal) {
                handle.closeAsync();
                throw fatal;
            } finally {
                isStarted.complete(null);
            }
        };
    }

    private static boolean cancelsOnLoss(LockHandle handle) {
        return handle.onLost() != OnLost.RETURN;
    }

    private Context within(LockHandle handle, Context context) {
        return context.put(LockContext.KEY, enclosing.with(handle));
    }

    /** Completes when the lock is lost: that cancels the work, unlike an error, and the release then fails. */
    private static Mono<Void> lost(LockHandle handle) {
        return Mono.create(sink -> handle.onLost(sink::success));
    }

    /** After success. Not in {@link #complete}: {@code usingWhen} would wrap a failure there. */
    private static Mono<ReleaseOutcome> close(LockHandle handle) {
        Mono<ReleaseOutcome> closed = Mono.fromFuture(
                () -> {
                    handle.recordSuccess();
                    return handle.closeAsync();
                },
                true);
        return cancelsOnLoss(handle) ? closed : closed.onErrorComplete(LockLostException.class);
    }

    /** {@link #run} has released the lock. */
    Mono<ReleaseOutcome> complete() {
        return Mono.empty();
    }

    /** A loss is added to the failure of the work. */
    Mono<ReleaseOutcome> fail(Throwable failure) {
        return releaseHandle().onErrorResume(releaseFailure -> {
            if (releaseFailure != failure) {
                failure.addSuppressed(releaseFailure);
            }
            return Mono.empty();
        });
    }

    /** Waits for a subscribing call that is under way, such as the method's. */
    Mono<ReleaseOutcome> cancel() {
        Mono<ReleaseOutcome> released = start.compareAndSet(Start.NOT_YET, Start.CANCELLED)
                ? releaseHandle()
                : Mono.fromFuture(isStarted, true).then(Mono.defer(this::releaseHandle));
        return released.onErrorComplete(LockLostException.class);
    }

    private Mono<ReleaseOutcome> releaseHandle() {
        CompletableFuture<LockHandle> future = acquiring;
        if (future == null || future.cancel(false) || future.isCompletedExceptionally()) {
            return Mono.empty();
        }
        LockHandle handle = future.getNow(null);
        return Mono.fromFuture(handle::closeAsync, true);
    }
}
