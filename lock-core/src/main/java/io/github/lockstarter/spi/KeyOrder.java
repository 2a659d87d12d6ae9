package io.github.lockstarter.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Runs the commands of each key one after the other, for a store that executes commands concurrently. Thread-safe.
 * Internal to this project's modules.
 */
public final class KeyOrder {

    /** End of the last command of each key, until it has ended. */
    private final ConcurrentMap<String, CompletableFuture<Void>> last = new ConcurrentHashMap<>();

    private final Executor executor;

    /**
     * Creates an empty order.
     *
     * @param executor begins commands that had to wait, so that many immediate failures do not grow the stack
     */
    public KeyOrder(Executor executor) {
        this.executor = executor;
    }

    /**
     * Begins a command after the end of all earlier ones of its key.
     *
     * @param <R> result
     * @param key key
     * @param command begins it; its stage completes with its end
     * @return the result; failed if the command cannot begin
     */
    public <R> CompletableFuture<R> send(String key, Supplier<CompletableFuture<R>> command) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        CompletableFuture<Void> before = last.put(key, done);
        CompletableFuture<R> answer =
                before == null ? started(command) : before.thenComposeAsync(ignored -> command.get(), executor);
        return answer.whenComplete((result, failure) -> {
            last.remove(key, done);
            done.complete(null);
        });
    }

    private static <R> CompletableFuture<R> started(Supplier<CompletableFuture<R>> command) {
        try {
            return command.get();
        } catch (RuntimeException | Error e) {
            return CompletableFuture.failedFuture(e);
        }
    }
}
