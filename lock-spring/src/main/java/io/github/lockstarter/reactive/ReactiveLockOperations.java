package io.github.lockstarter.reactive;

import io.github.lockstarter.Execution;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockException;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;
import reactor.util.context.ContextView;

/**
 * Distributed locks around publishers. Each subscription acquires the lock without blocking a thread, subscribes to the
 * work, on a thread of the lock client unless the grant comes at once, and releases when the work completes, fails or
 * is cancelled. Inject this type; it is a bean where the application has Reactor. Thread-safe.
 *
 * <pre>{@code
 * Mono<Receipt> receipt = locks.execute("order:42", client.ship(42));
 * }</pre>
 *
 * <p>Cancelling a subscription that waits gives up the wait. Cancelling one that runs cancels the work and releases at
 * the same time: Reactor does not say when cancelled work has stopped, so work that goes on after a cancellation runs
 * without the lock.
 *
 * <p>The lock belongs to the subscription, not to a thread: work that subscribes to a publisher with the same key
 * inside of it, with the Reactor context passed on as operators do, enters the lock again.
 *
 * <p>When the lock is lost, the work is cancelled, and the subscriber gets a {@link
 * io.github.lockstarter.LockLostException}; with {@code distributed-lock.on-lost=return} the work goes on to its end,
 * and the loss is only logged. A subscriber gets one of the exceptions of
 * {@link io.github.lockstarter.LockOperations#acquire(LockRequest)} if the lock is not acquired.
 */
public interface ReactiveLockOperations {

    /**
     * Runs work with at most one value under a lock. The value is passed on after the release.
     *
     * @param <T> the value
     * @param request what to lock
     * @param work what to subscribe to; never without the lock
     * @return the work under the lock; nothing happens before it is subscribed to
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work);

    /**
     * Runs work with many values under a lock. Values are passed on as they come, under the lock; a subscriber that
     * requests none keeps it.
     *
     * @param <T> the values
     * @param request what to lock
     * @param work what to subscribe to; never without the lock
     * @return the work under the lock; nothing happens before it is subscribed to
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work);

    /**
     * {@link #execute(LockRequest, Mono)} with other work, without the lock, if the lock is not acquired.
     *
     * @param <T> the value
     * @param request what to lock
     * @param work what to subscribe to; never without the lock
     * @param otherwise is given the {@link io.github.lockstarter.LockNotAcquiredException} or {@link
     *     io.github.lockstarter.LockBackendException}, and returns what to subscribe to instead
     * @return the work under the lock, or the other work
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work, Function<LockException, Mono<T>> otherwise);

    /**
     * {@link #execute(LockRequest, Flux)} with other work, without the lock, if the lock is not acquired.
     *
     * @param <T> the values
     * @param request what to lock
     * @param work what to subscribe to; never without the lock
     * @param otherwise as that of {@link #execute(LockRequest, Mono, Function)}
     * @return the work under the lock, or the other work
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work, Function<LockException, Flux<T>> otherwise);

    /**
     * Runs work under a lock unless another owner has the lock. A request without a wait makes one attempt; the
     * configured wait does not apply.
     *
     * @param <T> the value
     * @param request what to lock
     * @param work what to subscribe to; never without the lock
     * @return whether the work ran, with its value; the value is null if the work was empty
     */
    <T> Mono<Execution<@Nullable T>> tryExecute(LockRequest request, Mono<T> work);

    /**
     * {@link #execute(LockRequest, Mono)} with everything as configured.
     *
     * @param <T> the value
     * @param key what to lock
     * @param work what to subscribe to
     * @return the work under the lock
     */
    default <T> Mono<T> execute(String key, Mono<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * {@link #execute(LockRequest, Flux)} with everything as configured.
     *
     * @param <T> the values
     * @param key what to lock
     * @param work what to subscribe to
     * @return the work under the lock
     */
    default <T> Flux<T> execute(String key, Flux<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * {@link #tryExecute(LockRequest, Mono)}: one attempt, everything else as configured.
     *
     * @param <T> the value
     * @param key what to lock
     * @param work what to subscribe to
     * @return whether the work ran, with its value
     */
    default <T> Mono<Execution<@Nullable T>> tryExecute(String key, Mono<T> work) {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * The handle of the innermost lock under which a subscription runs, such as for its fencing token: what {@link
     * LockHandle#current()} is for a thread.
     *
     * @param subscriber the context of the subscriber, as {@code deferContextual} passes it
     * @return the handle; empty outside of any lock
     */
    static Optional<LockHandle> current(ContextView subscriber) {
        return contextOf(subscriber).innermost();
    }

    /**
     * {@link #current(ContextView)} of whoever subscribes; in a suspend function, {@code current().awaitSingle()}.
     *
     * @return the handle; empty outside of any lock
     */
    static Mono<LockHandle> current() {
        return Mono.deferContextual(subscriber -> Mono.justOrEmpty(current(subscriber)));
    }

    /**
     * The locks under which a subscription runs: those of its Reactor context alone. A subscriber that runs on the
     * thread of other work is not inside of that work's locks unless that thread's {@link LockContext#current()} is put
     * into its context, by {@code contextCapture()} with context-propagation or by {@code contextWrite}.
     *
     * @param subscriber the context of the subscriber
     * @return its locks; {@link LockContext#NONE} if there are none
     */
    static LockContext contextOf(ContextView subscriber) {
        return subscriber.<LockContext>getOrEmpty(LockContext.KEY).orElse(LockContext.NONE);
    }
}
