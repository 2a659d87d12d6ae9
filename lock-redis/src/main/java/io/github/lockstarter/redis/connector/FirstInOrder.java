package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * Queries several servers in parallel and chooses the first in their order that qualifies, so that clients with the
 * same answers choose the same server: once all before it have answered, or after half a command timeout. Other results
 * are discarded, even late ones.
 */
final class FirstInOrder {

    private FirstInOrder() {}

    /**
     * Waits at most two command timeouts: one to connect and one for the answer.
     *
     * @param discard closes the result of another server, on any thread; returns at once
     * @throws RedisException if no server qualifies in time; failures are suppressed exceptions
     */
    static <T> T of(
            List<CompletionStage<Optional<T>>> asked, Duration timeout, Consumer<T> discard, Supplier<String> none) {
        List<CompletableFuture<Optional<T>>> answers =
                asked.stream().map(CompletionStage::toCompletableFuture).toList();
        int chosen = -1;
        try {
            chosen = await(answers, timeout);
        } finally {
            for (int i = 0; i < answers.size(); i++) {
                if (i != chosen) {
                    answers.get(i).thenAccept(result -> result.ifPresent(discard));
                }
            }
        }
        if (chosen < 0) {
            throw failure(answers, none.get());
        }
        return resultOf(answers.get(chosen)).orElseThrow();
    }

    private static <T> int await(List<CompletableFuture<Optional<T>>> answers, Duration timeout) {
        long began = System.nanoTime();
        BlockingQueue<CompletableFuture<?>> answered = new LinkedBlockingQueue<>();
        answers.forEach(answer -> answer.whenComplete((result, failure) -> answered.add(answer)));
        try {
            int qualified;
            boolean isLate;
            do {
                qualified = qualified(answers);
                int inFront = qualified < 0 ? answers.size() : qualified;
                if (answers.stream().limit(inFront).allMatch(CompletableFuture::isDone)) {
                    return qualified;
                }
                long most = qualified < 0 ? 2 * timeout.toNanos() : timeout.toNanos() / 2;
                isLate = answered.poll(most - (System.nanoTime() - began), TimeUnit.NANOSECONDS) == null;
            } while (!isLate);
            return qualified;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisException("Interrupted while connecting", e);
        }
    }

    private static <T> int qualified(List<CompletableFuture<Optional<T>>> answers) {
        return IntStream.range(0, answers.size())
                .filter(i -> resultOf(answers.get(i)).isPresent())
                .findFirst()
                .orElse(-1);
    }

    private static <T> Optional<T> resultOf(CompletableFuture<Optional<T>> answer) {
        return answer.isCompletedExceptionally() ? Optional.empty() : answer.getNow(Optional.empty());
    }

    private static <T> RedisException failure(List<CompletableFuture<Optional<T>>> answers, String none) {
        List<Throwable> failures = new ArrayList<>();
        answers.stream()
                .filter(CompletableFuture::isCompletedExceptionally)
                .forEach(answer -> answer.whenComplete((result, cause) -> failures.add(cause)));
        RedisException failure = new RedisException(
                failures.isEmpty()
                        ? none
                        : none + "; the first failure: "
                                + ExceptionCauses.rootOf(failures.get(0)).getMessage());
        failures.forEach(failure::addSuppressed);
        return failure;
    }
}
