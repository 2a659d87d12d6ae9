package io.github.lockstarter.engine;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;

/** The only places where a caller's thread blocks. Everything waited for ends within the backend's command timeout. */
final class Waits {

    private Waits() {}

    /** Waits for the answer of a command. */
    static <R> R answer(CompletionStage<R> stage, String key) {
        try {
            return stage.toCompletableFuture().get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw Messages.interrupted(key, e);
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

    private static IllegalStateException unexpected(ExecutionException e) {
        return new IllegalStateException("The lock engine completes its futures normally; this is a bug in it", e);
    }
}
