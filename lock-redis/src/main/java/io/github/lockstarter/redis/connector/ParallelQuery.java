package io.github.lockstarter.redis.connector;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import java.util.function.Predicate;
import java.util.function.Supplier;

/** Queries several servers in parallel. */
final class ParallelQuery {

    private ParallelQuery() {}

    /**
     * Waits until the results suffice, or every server has answered or failed, but at most two command timeouts: one to
     * connect and one for the answer.
     *
     * @param isEnough whether further results would change nothing
     * @param discard closes a later result, on any thread; returns at once
     * @return the results in the order of the servers; at least one
     * @throws RedisException if there is no result in time; failures are suppressed exceptions
     */
    static <T> List<T> results(
            List<CompletionStage<Optional<T>>> asked,
            Duration timeout,
            Predicate<List<T>> isEnough,
            Consumer<T> discard,
            Supplier<String> none) {
        List<CompletableFuture<Optional<T>>> answers =
                asked.stream().map(CompletionStage::toCompletableFuture).toList();
        CompletableFuture<?> enough = new CompletableFuture<>();
        answers.forEach(answer -> answer.whenComplete((result, failure) -> {
            if (answers.stream().allMatch(CompletableFuture::isDone) || isEnough.test(known(answers))) {
                enough.complete(null);
            }
        }));
        BlockingWait.awaitUninterruptibly(enough, timeout.multipliedBy(2));
        List<T> results = new ArrayList<>();
        for (CompletableFuture<Optional<T>> answer : answers) {
            resultOf(answer).ifPresentOrElse(results::add, () -> answer.thenAccept(late -> late.ifPresent(discard)));
        }
        if (results.isEmpty()) {
            throw failure(answers, none.get());
        }
        return results;
    }

    private static <T> List<T> known(List<CompletableFuture<Optional<T>>> answers) {
        return answers.stream().flatMap(answer -> resultOf(answer).stream()).toList();
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
