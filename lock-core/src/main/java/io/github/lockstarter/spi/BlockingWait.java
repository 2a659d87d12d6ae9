package io.github.lockstarter.spi;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;

/**
 * The only place where this library blocks a thread for a future. The waiting thread runs nothing else: {@link
 * CompletableFuture#get} and {@link CompletableFuture#join} would run other tasks of the pool on a waiting worker,
 * inside its locks, which are reentrant by thread.
 *
 * <p>A worker of a {@link ForkJoinPool} lets the pool start a spare worker, if it can, so that the task that ends the
 * wait can run in the same pool.
 *
 * <p>Results and failures are those of {@link CompletableFuture#join}. A limit of zero or less does not wait, and a
 * timeout leaves the future unchanged. Stateless. Not for event loops and timer threads.
 *
 * <p>Internal to this project's modules, not part of the port.
 */
public final class BlockingWait {

    private BlockingWait() {}

    /**
     * Waits for completion or an interrupt.
     *
     * @param future the future
     * @param <T> the result
     * @return the result
     * @throws InterruptedException when interrupted before completion; the flag is cleared
     */
    public static <T> T await(CompletableFuture<T> future) throws InterruptedException {
        if (!future.isDone()) {
            block(new Completion(future));
        }
        return resultOf(future);
    }

    /**
     * Waits for completion, a timeout or an interrupt.
     *
     * @param future the future
     * @param limit longest time to wait
     * @param <T> the result
     * @return the result
     * @throws InterruptedException when interrupted before completion; the flag is cleared
     * @throws TimeoutException when the future is not complete at the limit
     */
    public static <T> T await(CompletableFuture<T> future, Duration limit)
            throws InterruptedException, TimeoutException {
        if (!future.isDone()) {
            block(new TimedCompletion(future, limit));
        }
        if (!future.isDone()) {
            throw new TimeoutException("Not complete within " + limit);
        }
        return resultOf(future);
    }

    /**
     * Waits for completion. Interrupts do not end the wait; the flag is set again afterwards.
     *
     * @param future the future
     * @param <T> the result
     * @return the result
     */
    public static <T> T awaitUninterruptibly(CompletableFuture<T> future) {
        if (!future.isDone()) {
            blockUninterruptibly(new Completion(future));
        }
        return resultOf(future);
    }

    /**
     * Waits for completion or a timeout. Interrupts do not end the wait; the flag is set again afterwards.
     *
     * @param future the future
     * @param limit longest time to wait
     * @return whether the future is complete, normally or not
     */
    public static boolean awaitUninterruptibly(CompletableFuture<?> future, Duration limit) {
        if (!future.isDone()) {
            blockUninterruptibly(new TimedCompletion(future, limit));
        }
        return future.isDone();
    }

    /**
     * Blocks the thread.
     *
     * @param pause the time
     * @throws InterruptedException when interrupted; the flag is cleared
     */
    public static void sleep(Duration pause) throws InterruptedException {
        block(new TimedCompletion(new CompletableFuture<>(), pause));
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

    private static class Completion implements ForkJoinPool.ManagedBlocker {

        private final CompletableFuture<?> future;

        Completion(CompletableFuture<?> future) {
            Thread waiter = Thread.currentThread();
            this.future = future;
            future.whenComplete((result, failure) -> LockSupport.unpark(waiter));
        }

        @Override
        public boolean block() throws InterruptedException {
            while (!isReleasable()) {
                park();
                if (Thread.interrupted()) {
                    throw new InterruptedException();
                }
            }
            return true;
        }

        void park() {
            LockSupport.park(this);
        }

        @Override
        public boolean isReleasable() {
            return future.isDone();
        }
    }

    private static final class TimedCompletion extends Completion {

        private final long until;

        TimedCompletion(CompletableFuture<?> future, Duration limit) {
            super(future);
            this.until = System.nanoTime() + TimeUnit.NANOSECONDS.convert(limit);
        }

        @Override
        void park() {
            LockSupport.parkNanos(this, until - System.nanoTime());
        }

        @Override
        public boolean isReleasable() {
            return super.isReleasable() || until - System.nanoTime() <= 0;
        }
    }
}
