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
 * Distributed locks around publishers. Each subscription acquires the lock without blocking, subscribes to the work (on
 * a thread of the lock client unless the lock is granted at once), and releases the lock when the work completes, fails
 * or is cancelled. Inject this type; the bean needs Reactor. Thread-safe.
 *
 * <pre>{@code
 * Mono<Receipt> receipt = locks.execute("order:42", client.ship(42));
 * }</pre>
 *
 * <p>Cancelling a running subscription cancels the work and releases the lock at the same time: Reactor does not report
 * when cancelled work has stopped, so work that continues runs without the lock.
 *
 * <p>The lock belongs to the subscription, not to a thread: work inside it can re-enter the lock through the Reactor
 * context.
 *
 * <p>If the lock is lost, the work is cancelled and the subscriber receives a {@link
 * io.github.lockstarter.LockLostException}; with {@code distributed-lock.on-lost=return} the work completes. If the
 * lock is not acquired, the subscriber receives an exception of {@link
 * io.github.lockstarter.LockOperations#acquire(LockRequest)}.
 */
public interface ReactiveLockOperations {

    /**
     * Runs work with at most one value under a lock. Emits the value after the release.
     *
     * @param <T> the value
     * @param request the lock
     * @param work subscribed to only under the lock
     * @return the work under the lock; cold
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work);

    /**
     * Runs work with many values under a lock. Emits values as they come, under the lock; without demand from the
     * subscriber the lock stays held.
     *
     * @param <T> the values
     * @param request the lock
     * @param work subscribed to only under the lock
     * @return the work under the lock; cold
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work);

    /**
     * Like {@link #execute(LockRequest, Mono)}, with a fallback if the lock is not acquired.
     *
     * @param <T> the value
     * @param request the lock
     * @param work subscribed to only under the lock
     * @param otherwise receives the {@link io.github.lockstarter.LockNotAcquiredException} or {@link
     *     io.github.lockstarter.LockBackendException}; its publisher runs without the lock
     * @return the work under the lock, or the fallback
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work, Function<LockException, Mono<T>> otherwise);

    /**
     * Like {@link #execute(LockRequest, Flux)}, with a fallback if the lock is not acquired.
     *
     * @param <T> the values
     * @param request the lock
     * @param work subscribed to only under the lock
     * @param otherwise as in {@link #execute(LockRequest, Mono, Function)}
     * @return the work under the lock, or the fallback
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work, Function<LockException, Flux<T>> otherwise);

    /**
     * Runs work under a lock unless another owner holds it. A request without a wait makes one attempt; the configured
     * wait does not apply.
     *
     * @param <T> the value
     * @param request the lock
     * @param work subscribed to only under the lock
     * @return whether the work ran, with its value; null if the work was empty
     */
    <T> Mono<Execution<@Nullable T>> tryExecute(LockRequest request, Mono<T> work);

    /**
     * {@link #execute(LockRequest, Mono)} with the configured settings.
     *
     * @param <T> the value
     * @param key the lock's key
     * @param work the work
     * @return the work under the lock
     */
    default <T> Mono<T> execute(String key, Mono<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * {@link #execute(LockRequest, Flux)} with the configured settings.
     *
     * @param <T> the values
     * @param key the lock's key
     * @param work the work
     * @return the work under the lock
     */
    default <T> Flux<T> execute(String key, Flux<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * {@link #tryExecute(LockRequest, Mono)} with the configured settings.
     *
     * @param <T> the value
     * @param key the lock's key
     * @param work the work
     * @return whether the work ran, with its value
     */
    default <T> Mono<Execution<@Nullable T>> tryExecute(String key, Mono<T> work) {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * The handle of a subscription's innermost lock, like {@link LockHandle#current()} for a thread.
     *
     * @param subscriber the subscriber's context, as in {@code deferContextual}
     * @return the handle; empty outside any lock
     */
    static Optional<LockHandle> current(ContextView subscriber) {
        return contextOf(subscriber).innermost();
    }

    /**
     * The {@link #current(ContextView)} handle of the subscriber; in a suspend function use {@code
     * current().awaitSingle()}.
     *
     * @return the handle; empty outside any lock
     */
    static Mono<LockHandle> current() {
        return Mono.deferContextual(subscriber -> Mono.justOrEmpty(current(subscriber)));
    }

    /**
     * The locks of a subscription, which come only from its Reactor context. A subscription on the thread of other work
     * is outside that work's locks, unless {@link LockContext#current()} is put into its context by {@code
     * contextCapture()} with context-propagation or by {@code contextWrite}.
     *
     * @param subscriber the subscriber's context
     * @return its locks; {@link LockContext#NONE} if there are none
     */
    static LockContext contextOf(ContextView subscriber) {
        return subscriber.<LockContext>getOrEmpty(LockContext.KEY).orElse(LockContext.NONE);
    }
}
