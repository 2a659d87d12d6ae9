package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The only place where this library blocks a thread for a future. {@link CompletableFuture#get} and {@link
 * CompletableFuture#join} would run other tasks of the pool on a waiting worker, inside its locks, which are reentrant
 * by thread. A {@link ForkJoinPool} may start a spare worker, so that the task that ends the wait can run in the same
 * pool.
 *
 * <p>Failures are those of {@link CompletableFuture#join}. A limit of zero or less does not wait. Interrupts throw and
 * clear the flag; uninterruptible methods set it again after the wait. A wait that would block a {@linkplain
 * LockThreads#nonBlocking thread that serves all locks} fails with {@link IllegalStateException}.
 *
 * <p>Internal to this project's modules.
 */
public final class BlockingWait {

    private BlockingWait() {}

    /**
     * {@return the result, after completion}
     *
     * @param future future
     * @param <T> result
     * @throws InterruptedException when interrupted
     */
    public static <T> T await(CompletableFuture<T> future) throws InterruptedException {
        if (!future.isDone()) {
            block(new Completion(future, null));
        }
        return resultOf(future);
    }

    /**
     * {@return whether the future is complete, normally or not, at the limit}
     *
     * @param future future
     * @param limit longest wait
     * @throws InterruptedException when interrupted
     */
    public static boolean await(CompletableFuture<?> future, Duration limit) throws InterruptedException {
        if (!future.isDone()) {
            block(new Completion(future, limit));
        }
        return future.isDone();
    }

    /**
     * {@return the result, after completion}
     *
     * @param future future
     * @param <T> result
     */
    public static <T> T awaitUninterruptibly(CompletableFuture<T> future) {
        if (!future.isDone()) {
            blockUninterruptibly(new Completion(future, null));
        }
        return resultOf(future);
    }

    /**
     * {@return whether the future is complete, normally or not, at the limit}
     *
     * @param future future
     * @param limit longest wait
     */
    public static boolean awaitUninterruptibly(CompletableFuture<?> future, Duration limit) {
        if (!future.isDone()) {
            blockUninterruptibly(new Completion(future, limit));
        }
        return future.isDone();
    }

    private static void blockUninterruptibly(Completion completion) {
        boolean interrupted = false;
        while (true) {
            try {
                block(completion);
                break;
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void block(Completion completion) throws InterruptedException {
        if (LockThreads.isNonBlocking()) {
            throw new IllegalStateException("The thread "
                    + Thread.currentThread().getName()
                    + " serves all locks of this instance, so it must not wait for the lock store. Call this method"
                    + " on a thread of the application, or use its asynchronous form");
        }
        try {
            ForkJoinPool.managedBlock(completion);
        } catch (RejectedExecutionException | OutOfMemoryError noSpareWorker) {
            while (!completion.isReleasable()) {
                completion.block();
            }
        }
    }

    private static <T> T resultOf(CompletableFuture<T> complete) {
        return complete.getNow(null);
    }

    private static final class Completion implements ForkJoinPool.ManagedBlocker {

        private final CompletableFuture<?> future;
        private final boolean limited;
        private final long until;

        Completion(CompletableFuture<?> future, @Nullable Duration limit) {
            Thread waiter = Thread.currentThread();
            this.future = future;
            this.limited = limit != null;
            this.until = limit == null ? 0 : System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
            future.whenComplete((result, failure) -> LockSupport.unpark(waiter));
        }

        @Override
        public boolean block() throws InterruptedException {
            while (!isReleasable()) {
                if (limited) {
                    LockSupport.parkNanos(this, until - System.nanoTime());
                } else {
                    LockSupport.park(this);
                }
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            return true;
        }

        @Override
        public boolean isReleasable() {
            return future.isDone() || (limited && until - System.nanoTime() <= 0);
        }
    }
}
