package io.github.lockstarter;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Programmatic distributed locks. Thread-safe. The bean is a {@link LockTemplate}. Methods that take a key use {@link
 * LockRequest#of}.
 *
 * <pre>{@code
 * locks.execute("order:42", () -> ship(42));
 *
 * try (LockHandle lock = locks.acquire(LockRequest.of("order:42").maxWait(ofSeconds(2)))) {
 *     storage.write(order, lock.fencingToken());
 * }
 * }</pre>
 */
public interface LockOperations extends LockSource {

    /**
     * {@return {@link #acquire(LockRequest)} for a key; release it}
     *
     * @param key such as {@code "order:42"}
     */
    default LockHandle acquire(String key) {
        return acquire(LockRequest.of(key));
    }

    /**
     * {@return {@link #tryAcquire(LockRequest)} for a key, one attempt}
     *
     * @param key key
     */
    default Optional<LockHandle> tryAcquire(String key) {
        return tryAcquire(LockRequest.of(key));
    }

    /**
     * {@return {@link #acquireAsync(LockRequest)} for a key}
     *
     * @param key key
     */
    default CompletableFuture<LockHandle> acquireAsync(String key) {
        return acquireAsync(LockRequest.of(key));
    }

    /**
     * Goes on with a {@linkplain LockHandle#detach detached} lock: with the next fencing token, the configured lease
     * and renewal. For other terms, {@link #acquire(LockRequest)} or {@link #execute} {@link LockRequest#ofTicket}.
     *
     * @param ticket used once: only the first attach succeeds. One that is interrupted, or whose outcome is unknown,
     *     uses the ticket up and releases the lock
     * @return the hold; release it
     * @throws LockLostException when the ticket's lock is gone, taken over, attached or released already; nothing has
     *     changed
     * @throws LockException as {@link #acquire(LockRequest)}. After {@link LockStoreRecoveringException}, try again
     *     with the same ticket: the lock is kept for it
     * @throws IllegalStateException when the lock store cannot do it
     */
    default LockHandle attach(LockTicket ticket) {
        return acquire(LockRequest.ofTicket(ticket));
    }

    /**
     * Frees a {@linkplain LockHandle#detach detached} lock at once, by attaching it for a moment: without the minimum
     * hold of its name, and inside a transaction too.
     *
     * @param ticket of the lock
     * @return {@link ReleaseOutcome#LOST} when the ticket's lock is gone, taken over, attached or released already
     * @throws LockException as {@link #attach}, except {@link LockLostException}
     */
    default ReleaseOutcome release(LockTicket ticket) {
        try {
            return acquire(LockRequest.ofTicket(ticket)
                            .ownedByHandle()
                            .minHold(Duration.ZERO)
                            .inTransaction(InTransaction.RELEASE))
                    .release();
        } catch (LockLostException lost) {
            return ReleaseOutcome.LOST;
        }
    }

    /**
     * Acquires, runs the action, releases. During the action, {@link LockHandle#current()} is its handle.
     *
     * @param <T> result
     * @param <X> exception
     * @param request lock
     * @param action work; never runs without the lock
     * @return the result
     * @throws X from the action, unchanged
     * @throws LockLostException when the lock was lost during an action that ended normally, unless the request or the
     *     configuration has {@link OnLost#RETURN}; with {@link OnLost#INTERRUPT}, also if the action failed
     */
    <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LockedAction<T, X> action)
            throws X;

    /**
     * {@link #execute(LockRequest, LockedAction)} without a result.
     *
     * @param <X> exception
     * @param request lock
     * @param task work
     * @throws X from the task
     */
    default <X extends Throwable> void execute(LockRequest request, LockedTask<X> task) throws X {
        this.<LockRequest, X>execute(request, () -> {
            task.run();
            return request;
        });
    }

    /**
     * {@return {@link #execute(LockRequest, LockedAction)} for a key}
     *
     * @param <T> result
     * @param <X> exception
     * @param key key
     * @param action work
     * @throws X from the action
     */
    default <T extends @Nullable Object, X extends Throwable> T execute(String key, LockedAction<T, X> action)
            throws X {
        return execute(LockRequest.of(key), action);
    }

    /**
     * {@link #execute(LockRequest, LockedTask)} for a key.
     *
     * @param <X> exception
     * @param key key
     * @param task work
     * @throws X from the task
     */
    default <X extends Throwable> void execute(String key, LockedTask<X> task) throws X {
        execute(LockRequest.of(key), task);
    }

    /**
     * {@link #execute(LockRequest, LockedAction)} that skips the action if another owner has the lock. Waits like
     * {@link #tryAcquire(LockRequest)}. A {@link LockNotAcquiredException} can only come from the action.
     *
     * @param <T> result
     * @param <X> exception
     * @param request lock
     * @param action work
     * @return the result, or that the action was skipped
     * @throws X from the action
     * @throws LockBackendException when it is unknown whether another owner has the lock
     */
    <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            LockRequest request, LockedAction<T, X> action) throws X;

    /**
     * {@return {@link #tryExecute(LockRequest, LockedAction)} with a null result}
     *
     * @param <X> exception
     * @param request lock
     * @param task work
     * @throws X from the task
     */
    @SuppressWarnings("NullAway") // NullAway does not read @Nullable of a type argument
    default <X extends Throwable> Execution<@Nullable Void> tryExecute(LockRequest request, LockedTask<X> task)
            throws X {
        return this.<@Nullable Void, X>tryExecute(request, () -> {
            task.run();
            return null;
        });
    }

    /**
     * {@return {@link #tryExecute(LockRequest, LockedAction)} for a key, one attempt}
     *
     * @param <T> result
     * @param <X> exception
     * @param key key
     * @param action work
     * @throws X from the action
     */
    default <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            String key, LockedAction<T, X> action) throws X {
        return tryExecute(LockRequest.of(key), action);
    }

    /**
     * {@return {@link #tryExecute(LockRequest, LockedTask)} for a key, one attempt}
     *
     * @param <X> exception
     * @param key key
     * @param task work
     * @throws X from the task
     */
    default <X extends Throwable> Execution<@Nullable Void> tryExecute(String key, LockedTask<X> task) throws X {
        return tryExecute(LockRequest.of(key), task);
    }

    /**
     * Acquires without blocking, starts the action, and releases when the action's stage ends. No thread owns the hold:
     * only an action started inside another action for the same key, on the same thread or with the {@link LockContext}
     * carried along, re-enters the lock.
     *
     * <p>The action starts on a thread of the lock client, see {@link #acquireAsync(LockRequest)}, or on the caller's
     * thread if the lock is granted at once. While it starts, {@link LockHandle#current()} is its handle.
     *
     * @param <T> result
     * @param request lock
     * @param action work; never starts without the lock
     * @return the result or exception of the stage, after the release; or an exception as {@link #execute(LockRequest,
     *     LockedAction)}, {@link LockLostException} as soon as the lock is lost. Cancelling gives up the wait, but does
     *     not end a started action
     * @throws IllegalArgumentException at once, as {@link #acquireAsync(LockRequest)}
     * @throws IllegalStateException at once, as {@link LockContext#reenter}
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> action);

    /**
     * {@return {@link #executeAsync(LockRequest, Supplier)} for a key}
     *
     * @param <T> result
     * @param key key
     * @param action work
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(LockRequest.of(key), action);
    }

    /**
     * {@return a view of the lock as a reentrant, thread-bound JDK {@link Lock} without conditions} The wait of the
     * request is ignored. {@code unlock} throws {@link IllegalMonitorStateException} on a thread without a hold. After
     * a loss, {@code unlock} and the locking methods throw {@link LockLostException} until the thread has unlocked each
     * hold. A configured {@link MinHoldIf} does not apply: after {@code unlock} the lock is kept for its minimum hold.
     *
     * @param request lock
     * @throws IllegalArgumentException when the minimum hold depends on success, which a {@link Lock} is not told
     */
    Lock asLock(LockRequest request);

    /**
     * {@return {@link #asLock(LockRequest)} for a key}
     *
     * @param key key
     */
    default Lock asLock(String key) {
        return asLock(LockRequest.of(key));
    }

    /**
     * {@return two views as {@link #asLock(LockRequest)}: one that reads, see {@link LockRequest#mode}, and one that
     * writes} A thread that writes may read, and still excludes others after {@code unlock} of the write lock, until it
     * ends to read. A thread that only reads gets {@link IllegalStateException} from the write lock.
     *
     * @param request lock; its mode is ignored
     */
    default ReadWriteLock asReadWriteLock(LockRequest request) {
        return new JdkReadWriteLock(asLock(request.mode(LockMode.READ)), asLock(request.mode(LockMode.WRITE)));
    }

    /**
     * {@return {@link #asReadWriteLock(LockRequest)} for a key}
     *
     * @param key key
     */
    default ReadWriteLock asReadWriteLock(String key) {
        return asReadWriteLock(LockRequest.of(key));
    }
}
