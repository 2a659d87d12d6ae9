package io.github.lockstarter.jdbc;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;

/**
 * Carries out the tasks of one key one after the other, in the order in which they came, and those of different keys
 * beside each other. Any thread calls. {@code tails} has the latest task of each key that has one.
 */
final class KeyedTasks {

    private final ConcurrentMap<String, CompletableFuture<?>> tails = new ConcurrentHashMap<>();
    private final Executor pool;

    KeyedTasks(Executor pool) {
        this.pool = pool;
    }

    /**
     * Carries a task out, once those before it have ended.
     *
     * @param key the key
     * @param task what to do; throws nothing
     * @param refused called if the pool takes no more tasks
     */
    void execute(String key, Runnable task, Runnable refused) {
        CompletableFuture<?> next = tails.compute(key, (same, tail) -> {
            CompletableFuture<?> before = tail == null ? CompletableFuture.completedFuture(null) : tail;
            return before.handleAsync(
                    (ignored, failure) -> {
                        task.run();
                        return null;
                    },
                    pool);
        });
        next.whenComplete((done, failure) -> {
            tails.remove(key, next);
            if (failure != null) {
                refused.run();
            }
        });
    }
}
