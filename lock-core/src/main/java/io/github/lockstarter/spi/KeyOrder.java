package io.github.lockstarter.spi;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Has the commands of one key carried out one after the other, in the order in which they came, by a store that carries
 * out commands at the same time: each begins when the one before has ended. Those of different keys do not wait for
 * each other.
 *
 * <p>Thread-safe. {@code last} has an entry for each key whose last command has not ended.
 *
 * <p>For the modules of this project: public because they share it, and no part of the port.
 */
public final class KeyOrder {

    private final ConcurrentMap<String, CompletableFuture<Void>> last = new ConcurrentHashMap<>();
    private final Executor executor;

    /**
     * Without commands yet.
     *
     * @param executor begins what has waited, so that the stack does not grow with a queue of commands that fail at
     *     once
     */
    public KeyOrder(Executor executor) {
        this.executor = executor;
    }

    /**
     * Begins a command, once those before it have ended.
     *
     * @param <R> kind of result
     * @param key the key
     * @param command begins it; its stage completes with its end
     * @return the result, also if the command cannot begin, which is a failure then
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
