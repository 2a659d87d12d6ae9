package io.github.lockstarter.redis.master;

import io.github.lockstarter.redis.cause.ExceptionCauses;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Chooses one of several servers that are asked at the same time: the first in their order that qualifies, so that
 * clients which get the same answers choose the same server.
 *
 * <p>Invariant: a server is chosen when all in front of it have answered, or half of the command timeout after the
 * question. What the others bring, also later, is discarded. One thread makes a choice and blocks until it is made; the
 * servers' answers come on any thread and meet it in {@code answers}.
 *
 * @param <T> what a server that qualifies brings
 */
final class FirstInOrder<T> {

    /** What a server brought: nothing if it does not qualify, or failed. */
    private record Answer<T>(
            int place, Optional<T> brought, @Nullable Throwable failure) {}

    private final BlockingQueue<Answer<T>> answers = new LinkedBlockingQueue<>();
    private final List<CompletionStage<Optional<T>>> asked;
    private final List<Optional<Answer<T>>> answered = new ArrayList<>();
    private final long began = System.nanoTime();
    private final Duration timeout;

    private FirstInOrder(List<CompletionStage<Optional<T>>> asked, Duration timeout) {
        this.asked = asked;
        this.timeout = timeout;
    }

    /**
     * Waits for the choice; at most two command timeouts, one to connect and one to be answered.
     *
     * @param asked what each server will bring, in order; empty if it does not qualify
     * @param timeout the command timeout
     * @param discard closes what another server than the chosen one brings, on any thread; returns at once
     * @param none what to say when no server qualifies
     * @return what the chosen server brought
     * @throws RedisException when no server qualifies in time; the failures are suppressed
     */
    static <T> T of(
            List<CompletionStage<Optional<T>>> asked, Duration timeout, Consumer<T> discard, Supplier<String> none) {
        FirstInOrder<T> choice = new FirstInOrder<>(asked, timeout);
        int chosen = -1;
        try {
            chosen = choice.await();
        } finally {
            choice.discardAllBut(chosen, discard);
        }
        return choice.broughtBy(chosen).orElseThrow(() -> choice.failure(none.get()));
    }

    /** The place of the chosen server; negative if there is none. */
    private int await() {
        for (int i = 0; i < asked.size(); i++) {
            int place = i;
            answered.add(Optional.empty());
            asked.get(i)
                    .whenComplete((brought, failure) ->
                            answers.add(new Answer<>(place, failure == null ? brought : Optional.empty(), failure)));
        }
        int qualified = qualified();
        while (!isDecided(qualified) && takeNext(qualified)) {
            qualified = qualified();
        }
        return qualified;
    }

    /** The first of those that have answered and qualify; negative if there is none. */
    private int qualified() {
        for (int i = 0; i < answered.size(); i++) {
            if (broughtBy(i).isPresent()) {
                return i;
            }
        }
        return -1;
    }

    private boolean isDecided(int qualified) {
        int inFront = qualified < 0 ? answered.size() : qualified;
        return answered.subList(0, inFront).stream().allMatch(Optional::isPresent);
    }

    /** Waits for another answer; false if there is none in time. */
    private boolean takeNext(int qualified) {
        long most = qualified < 0 ? 2 * timeout.toNanos() : timeout.toNanos() / 2;
        try {
            Answer<T> next = answers.poll(most - (System.nanoTime() - began), TimeUnit.NANOSECONDS);
            if (next != null) {
                answered.set(next.place, Optional.of(next));
            }
            return next != null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new RedisException("Interrupted while connecting", e);
        }
    }

    private void discardAllBut(int chosen, Consumer<T> discard) {
        for (int i = 0; i < asked.size(); i++) {
            if (i != chosen) {
                asked.get(i).whenComplete((brought, failure) -> {
                    if (failure == null) {
                        brought.ifPresent(discard);
                    }
                });
            }
        }
    }

    private Optional<T> broughtBy(int place) {
        return place < 0 ? Optional.empty() : answered.get(place).flatMap(Answer::brought);
    }

    private RedisException failure(String none) {
        List<Throwable> failures = answered.stream()
                .flatMap(Optional::stream)
                .flatMap(answer -> Stream.ofNullable(answer.failure))
                .toList();
        RedisException failure = new RedisException(
                failures.isEmpty()
                        ? none
                        : none + "; the first failure: "
                                + ExceptionCauses.rootOf(failures.get(0)).getMessage());
        failures.forEach(failure::addSuppressed);
        return failure;
    }
}
