package io.github.lockstarter;

import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Distributed locks, programmatically. Inject this type; {@link LockTemplate} is the bean behind it. Thread-safe.
 *
 * <pre>{@code
 * locks.execute("order:42", () -> ship(42));
 *
 * try (LockHandle lock = locks.acquire(LockRequest.of("order:42").waitingUpTo(ofSeconds(2)))) {
 *     storage.write(order, lock.fencingToken());
 * }
 * }</pre>
 */
public interface LockOperations extends LockSource {

    /**
     * {@link #acquire(LockRequest)} with everything as configured.
     *
     * @param key what to lock, such as {@code "order:42"}
     * @return the hold; release it
     */
    default LockHandle acquire(String key) {
        return acquire(LockRequest.of(key));
    }

    /**
     * {@link #tryAcquire(LockRequest)}: one attempt, everything else as configured.
     *
     * @param key what to lock
     * @return the hold, or empty when another owner has the lock
     */
    default Optional<LockHandle> tryAcquire(String key) {
        return tryAcquire(LockRequest.of(key));
    }

    /**
     * {@link #acquireAsync(LockRequest)} with everything as configured.
     *
     * @param key what to lock
     * @return completed with the hold
     */
    default CompletableFuture<LockHandle> acquireAsync(String key) {
        return acquireAsync(LockRequest.of(key));
    }

    /**
     * Acquires, runs the action, releases. The action's exception comes through unchanged. While it runs,
     * {@link LockHandle#current()} is its handle.
     *
     * @param <T> the action's result
     * @param <X> what the action may throw
     * @param request what to lock
     * @param action what to do; never runs without the lock
     * @return the action's result
     * @throws X when the action throws it
     * @throws LockLostException when the lock was lost while the action ran and ended normally
     *     ({@code distributed-lock.on-lost=return}: only logged)
     */
    <T extends @Nullable Object, X extends Throwable> T execute(LockRequest request, LockedAction<T, X> action)
            throws X;

    /**
     * {@link #execute(LockRequest, LockedAction)} for work without a result.
     *
     * @param <X> what the task may throw
     * @param request what to lock
     * @param task what to do
     * @throws X when the task throws it
     */
    default <X extends Throwable> void execute(LockRequest request, LockedTask<X> task) throws X {
        this.<LockRequest, X>execute(request, () -> {
            task.run();
            return request;
        });
    }

    /**
     * {@link #execute(LockRequest, LockedAction)} with everything as configured.
     *
     * @param <T> the action's result
     * @param <X> what the action may throw
     * @param key what to lock
     * @param action what to do
     * @return the action's result
     * @throws X when the action throws it
     */
    default <T extends @Nullable Object, X extends Throwable> T execute(String key, LockedAction<T, X> action)
            throws X {
        return execute(LockRequest.of(key), action);
    }

    /**
     * {@link #execute(LockRequest, LockedTask)} with everything as configured.
     *
     * @param <X> what the task may throw
     * @param key what to lock
     * @param task what to do
     * @throws X when the task throws it
     */
    default <X extends Throwable> void execute(String key, LockedTask<X> task) throws X {
        execute(LockRequest.of(key), task);
    }

    /**
     * {@link #execute(LockRequest, LockedAction)}, unless another owner has the lock: then the action does not run.
     * Waits as {@link #tryAcquire(LockRequest)}: a request without a wait makes one attempt; the configured wait does
     * not apply.
     *
     * <pre>{@code
     * Execution<Report> execution = locks.tryExecute(LockRequest.of("report:daily"), this::write);
     * }</pre>
     *
     * @param <T> the action's result
     * @param <X> what the action may throw
     * @param request what to lock
     * @param action what to do; never runs without the lock
     * @return whether the action ran, and its result
     * @throws X when the action throws it, also if it is a {@link LockNotAcquiredException}
     * @throws LockLostException as {@link #execute(LockRequest, LockedAction)}
     * @throws LockBackendException when it is unknown whether another owner has the lock
     */
    <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            LockRequest request, LockedAction<T, X> action) throws X;

    /**
     * {@link #tryExecute(LockRequest, LockedAction)} for work without a result.
     *
     * @param <X> what the task may throw
     * @param request what to lock
     * @param task what to do
     * @return whether the task ran; the result is null
     * @throws X when the task throws it
     */
    @SuppressWarnings("NullAway") // it does not read @Nullable of a type argument
    default <X extends Throwable> Execution<@Nullable Void> tryExecute(LockRequest request, LockedTask<X> task)
            throws X {
        return this.<@Nullable Void, X>tryExecute(request, () -> {
            task.run();
            return null;
        });
    }

    /**
     * {@link #tryExecute(LockRequest, LockedAction)}: one attempt, everything else as configured.
     *
     * @param <T> the action's result
     * @param <X> what the action may throw
     * @param key what to lock
     * @param action what to do
     * @return whether the action ran, and its result
     * @throws X when the action throws it
     */
    default <T extends @Nullable Object, X extends Throwable> Execution<T> tryExecute(
            String key, LockedAction<T, X> action) throws X {
        return tryExecute(LockRequest.of(key), action);
    }

    /**
     * {@link #tryExecute(LockRequest, LockedTask)}: one attempt, everything else as configured.
     *
     * @param <X> what the task may throw
     * @param key what to lock
     * @param task what to do
     * @return whether the task ran; the result is null
     * @throws X when the task throws it
     */
    default <X extends Throwable> Execution<@Nullable Void> tryExecute(String key, LockedTask<X> task) throws X {
        return tryExecute(LockRequest.of(key), task);
    }

    /**
     * Acquires without blocking a thread, starts the action, and releases when the action's stage ends. The hold
     * belongs to no thread. An action that is started inside of another one for the same key, on the thread that starts
     * it or where the {@link LockContext} is carried to, enters the lock again; all other callers wait.
     *
     * <p>The action is started on a thread of the lock client, or on the caller's if the lock is granted at once. The
     * client has 64 such threads, and starts more, after a delay, only while all of them are blocked: an action that
     * blocks before it returns its stage belongs on an executor of yours. While it starts, {@link LockHandle#current()}
     * is its handle.
     *
     * <pre>{@code
     * locks.executeAsync(LockRequest.of("order:42"), () -> client.ship(42)).thenAccept(this::confirm);
     * }</pre>
     *
     * @param <T> the result of the action's stage
     * @param request what to lock
     * @param action what to start; never without the lock
     * @return completed, after the release, with the result or the exception of the stage, with what the action throws,
     *     or with one of the exceptions of {@link #acquire(LockRequest)}; with {@link LockLostException} as soon as the
     *     lock is lost while the action goes on ({@code distributed-lock.on-lost=return}: only logged). Cancelling it
     *     gives up the wait; it does not end an action that was started, whose lock is held until its stage ends
     * @throws IllegalArgumentException at once, as {@link #acquireAsync(LockRequest)}
     * @throws IllegalStateException at once, when the caller is asynchronous work that holds some of the keys, and no
     *     single handle of it has all of them: it would wait for itself
     */
    <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            LockRequest request, Supplier<? extends CompletionStage<T>> action);

    /**
     * {@link #executeAsync(LockRequest, Supplier)} with everything as configured.
     *
     * @param <T> the result of the action's stage
     * @param key what to lock
     * @param action what to start
     * @return as that one
     */
    default <T extends @Nullable Object> CompletableFuture<T> executeAsync(
            String key, Supplier<? extends CompletionStage<T>> action) {
        return executeAsync(LockRequest.of(key), action);
    }

    /**
     * What becomes of work that ends normally after its lock was lost.
     *
     * @return as {@code distributed-lock.on-lost} says
     */
    default OnLost onLost() {
        return OnLost.THROW;
    }

    /**
     * The lock as a {@link Lock} of the JDK: reentrant, bound to the acquiring thread, without conditions. The wait of
     * the request does not apply: each method waits as the JDK says. {@code unlock} by a thread that does not hold it
     * throws {@link IllegalMonitorStateException}; after a loss, {@link LockLostException}, as do the locking methods
     * until the thread has called {@code unlock} for each hold.
     *
     * @param request what to lock
     * @return a view; its only state are the holds of its threads
     */
    Lock asLock(LockRequest request);

    /**
     * {@link #asLock(LockRequest)} with everything as configured.
     *
     * @param key what to lock
     * @return the view
     */
    default Lock asLock(String key) {
        return asLock(LockRequest.of(key));
    }
}
