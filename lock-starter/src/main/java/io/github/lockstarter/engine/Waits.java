package io.github.lockstarter.engine;

import io.github.lockstarter.LockInterruptedException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;

/** Where a caller's thread waits for the answer of a command: no longer than the backend's command timeout. */
final class Waits {

    private Waits() {}

    static <R> R extension(CompletableFuture<R> answer, String key) {
        try {
            return answer.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException(
                    key,
                    "Interrupted while extending lock '" + key
                            + "'; its lease is at least what it was, and perhaps longer",
                    e);
        } catch (ExecutionException e) {
            throw unexpected(e);
        }
    }

    /** Waits whatever happens, since what is under way must be seen to its end; an interrupt is kept for afterwards. */
    static <R> R uninterruptibly(CompletableFuture<R> future) {
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return future.get();
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (ExecutionException e) {
                    throw unexpected(e);
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** As {@link #uninterruptibly}, but no longer than the limit: the backend may have broken its promise to answer. */
    static void atMost(CompletableFuture<Void> future, Duration limit) {
        uninterruptibly(future.completeOnTimeout(null, limit.toNanos(), TimeUnit.NANOSECONDS));
    }

    private static IllegalStateException unexpected(ExecutionException e) {
        return new IllegalStateException("The lock engine completes its futures normally; this is a bug in it", e);
    }
}
