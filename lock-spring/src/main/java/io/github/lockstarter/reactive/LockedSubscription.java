package io.github.lockstarter.reactive;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.ReleaseOutcome;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.Context;

/**
 * The lock of one subscription, from the request to the release.
 *
 * <p>The subscribing thread sets {@link #enclosing} and {@link #acquiring}, before a subscriber can cancel. The future
 * is completed once: with the grant, a refusal, or by {@link #cancel}, so that a grant either meets a subscription that
 * goes on or is given back by the lock client. Invariant: the work is subscribed to under the lock. {@link #start}
 * decides between its start and a cancellation, and a cancellation behind it releases when the subscribing has returned
 * ({@link #isStarted}). {@code usingWhen} calls exactly one of {@link #complete}, {@link #fail} and {@link #cancel}.
 */
final class LockedSubscription {

    /** Whether the work begins is decided once: by its start, or by a cancellation before. */
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

    /** Enters the lock again if the subscriber holds it, else acquires it. */
    Mono<LockHandle> acquire() {
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

    /** The work, which finds the lock in its context, until it ends or the lock is lost; and then the release. */
    <T> Mono<T> run(LockHandle handle, Mono<T> work) {
        Mono<T> inside = Mono.fromDirect(started(handle, work)).contextWrite(context -> within(handle, context));
        return (endsWithTheLock() ? inside.takeUntilOther(lost(handle)) : inside)
                .singleOptional()
                .flatMap(value -> close(handle).then(Mono.justOrEmpty(value)));
    }

    /** As {@link #run(LockHandle, Mono)}. */
    <T> Flux<T> run(LockHandle handle, Flux<T> work) {
        Flux<T> inside = Flux.from(started(handle, work)).contextWrite(context -> within(handle, context));
        return (endsWithTheLock() ? inside.takeUntilOther(lost(handle)) : inside)
                .concatWith(close(handle).then(Mono.empty()));
    }

    /**
     * The work, unless the subscriber has cancelled before. Reactor passes what it takes for fatal, such as a {@link
     * LinkageError}, to no subscriber but to the thread that runs the operator. Here that is the one that subscribes;
     * on others nothing can see it, and {@code max-hold} is the bound.
     */
    private <T> Publisher<T> started(LockHandle handle, Publisher<T> work) {
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

    private boolean endsWithTheLock() {
        return locks.onLost() == OnLost.THROW;
    }

    private Context within(LockHandle handle, Context context) {
        return context.put(LockContext.KEY, enclosing.with(handle));
    }

    /** Completes when the lock is lost: that cancels the work, as an error would not, and the release then fails. */
    private static Mono<Void> lost(LockHandle handle) {
        return Mono.create(sink -> handle.onLost(sink::success));
    }

    /** Here and not in {@link #complete}, where {@code usingWhen} would wrap its failure. */
    private Mono<ReleaseOutcome> close(LockHandle handle) {
        Mono<ReleaseOutcome> closed = Mono.fromFuture(handle::closeAsync, true);
        return endsWithTheLock() ? closed : closed.onErrorComplete(LockLostException.class);
    }

    /** All is done: the lock was released behind the work. */
    Mono<ReleaseOutcome> complete() {
        return Mono.empty();
    }

    /** The work has failed: a loss is added to its failure. */
    Mono<ReleaseOutcome> fail(Throwable failure) {
        return release().onErrorResume(unreleased -> {
            if (unreleased != failure) {
                failure.addSuppressed(unreleased);
            }
            return Mono.empty();
        });
    }

    /**
     * The subscriber has cancelled: gives up the wait, or releases. Where the work is just being subscribed to, as by
     * the call of a method, that comes to its end before.
     */
    Mono<ReleaseOutcome> cancel() {
        Mono<ReleaseOutcome> released = start.compareAndSet(Start.NOT_YET, Start.CANCELLED)
                ? release()
                : Mono.fromFuture(isStarted, true).then(Mono.defer(this::release));
        return released.onErrorComplete(LockLostException.class);
    }

    private Mono<ReleaseOutcome> release() {
        CompletableFuture<LockHandle> future = acquiring;
        if (future == null || future.cancel(false) || future.isCompletedExceptionally()) {
            return Mono.empty();
        }
        LockHandle handle = future.getNow(null);
        return Mono.fromFuture(handle::closeAsync, true);
    }
}
