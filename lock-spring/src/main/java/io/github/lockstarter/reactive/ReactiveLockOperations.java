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
 * <p>The lock belongs to the subscription, which can re-enter it through the Reactor context. A cancellation cancels
 * the work and releases the lock at the same time, because Reactor does not report when cancelled work has stopped.
 *
 * <p>A loss cancels the work, and the subscriber receives a {@link io.github.lockstarter.LockLostException}; with
 * {@link io.github.lockstarter.OnLost#RETURN} the work completes. If the lock is not acquired, the subscriber receives
 * an exception of {@link io.github.lockstarter.LockOperations#acquire(LockRequest)}.
 */
public interface ReactiveLockOperations {

    /**
     * Runs work with at most one value under a lock. Emits the value after the release.
     *
     * @param <T> value
     * @param request lock
     * @param work subscribed to under the lock
     * @return the locked work; cold
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work);

    /**
     * Runs work with many values under a lock. Emits values as they come, under the lock; without demand from the
     * subscriber the lock stays held.
     *
     * @param <T> values
     * @param request lock
     * @param work subscribed to under the lock
     * @return the locked work; cold
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work);

    /**
     * Like {@link #execute(LockRequest, Mono)}, with a fallback.
     *
     * @param <T> value
     * @param request lock
     * @param work subscribed to under the lock
     * @param otherwise runs without the lock if it is not acquired
     * @return the locked work, or the fallback
     */
    <T> Mono<T> execute(LockRequest request, Mono<T> work, Function<LockException, Mono<T>> otherwise);

    /**
     * Like {@link #execute(LockRequest, Flux)}, with a fallback.
     *
     * @param <T> values
     * @param request lock
     * @param work subscribed to under the lock
     * @param otherwise as in {@link #execute(LockRequest, Mono, Function)}
     * @return the locked work, or the fallback
     */
    <T> Flux<T> execute(LockRequest request, Flux<T> work, Function<LockException, Flux<T>> otherwise);

    /**
     * Runs work under a lock unless another owner holds it. A request without a wait makes one attempt; the configured
     * wait does not apply.
     *
     * @param <T> value
     * @param request lock
     * @param work subscribed to under the lock
     * @return whether the work ran, with its value; null if the work was empty
     */
    <T> Mono<Execution<@Nullable T>> tryExecute(LockRequest request, Mono<T> work);

    /**
     * Locks with the configured settings.
     *
     * @param <T> value
     * @param key key
     * @param work work
     * @return as {@link #execute(LockRequest, Mono)}
     */
    default <T> Mono<T> execute(String key, Mono<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Locks with the configured settings.
     *
     * @param <T> values
     * @param key key
     * @param work work
     * @return as {@link #execute(LockRequest, Flux)}
     */
    default <T> Flux<T> execute(String key, Flux<T> work) {
        return execute(LockRequest.of(key), work);
    }

    /**
     * Locks with the configured settings.
     *
     * @param <T> value
     * @param key key
     * @param work work
     * @return as {@link #tryExecute(LockRequest, Mono)}
     */
    default <T> Mono<Execution<@Nullable T>> tryExecute(String key, Mono<T> work) {
        return tryExecute(LockRequest.of(key), work);
    }

    /**
     * The handle of a subscription's innermost lock, like {@link LockHandle#current()}.
     *
     * @param subscriber subscriber's context, as in {@code deferContextual}
     * @return the handle; empty outside any lock
     */
    static Optional<LockHandle> current(ContextView subscriber) {
        return contextOf(subscriber).innermost();
    }

    /**
     * {@return the subscriber's {@link #current(ContextView)}; in a suspend function use {@code
     * current().awaitSingle()}}
     */
    static Mono<LockHandle> current() {
        return Mono.deferContextual(subscriber -> Mono.justOrEmpty(current(subscriber)));
    }

    /**
     * Ensures that the subscriber's locks are held, like {@link LockHandle#ensureAllHeld()} without blocking: before a
     * commit, {@code work.delayUntil(value -> ReactiveLockOperations.ensureAllHeld())}. Completes at once outside any
     * lock.
     *
     * @return empty, or the exception of {@link LockHandle#ensureHeld()}
     */
    static Mono<Void> ensureAllHeld() {
        return Mono.deferContextual(
                subscriber -> Mono.fromFuture(contextOf(subscriber).ensureAllHeldAsync()));
    }

    /**
     * The locks of a subscription, only from its Reactor context: {@code contextCapture()} with context-propagation or
     * {@code contextWrite} puts {@link LockContext#current()} of enclosing work there.
     *
     * @param subscriber subscriber's context
     * @return its locks, or {@link LockContext#NONE}
     */
    static LockContext contextOf(ContextView subscriber) {
        return subscriber.<LockContext>getOrEmpty(LockContext.KEY).orElse(LockContext.NONE);
    }
}
