package io.github.lockstarter.etcd;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;

/**
 * Sends the commands of one key one after the other: etcd serves requests of one connection at the same time, so each
 * waits for the answer to the one before, or for its timeout. Commands of different keys do not wait for each other.
 *
 * <p>Thread-safe. {@code last} has an entry for each key whose last command has no answer yet.
 */
final class KeyOrder {

    private final ConcurrentMap<String, CompletableFuture<Void>> last = new ConcurrentHashMap<>();
    private final Executor executor;

    /**
     * Without commands yet.
     *
     * @param executor sends what has waited, so that the stack does not grow with a queue of commands that fail at once
     */
    KeyOrder(Executor executor) {
        this.executor = executor;
    }

    <R> CompletableFuture<R> send(String key, Supplier<CompletableFuture<R>> command) {
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
