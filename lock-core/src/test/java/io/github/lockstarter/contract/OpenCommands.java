package io.github.lockstarter.contract;

import io.github.lockstarter.kit.Patience;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Supplier;

/**
 * The attempts and renewals that engines have sent and whose answers they have not processed. A clock that is set
 * meanwhile makes these answers too late, and a sleep that follows from one begin too late. Thread-safe.
 */
final class OpenCommands {

    private int number;

    /** Counts a command until its answer was processed: an engine waits for it with {@code whenComplete}. */
    <T> CompletionStage<T> count(Supplier<CompletionStage<T>> command) {
        add(1);
        try {
            return new Counted<>(command.get());
        } catch (RuntimeException | Error e) {
            add(-1);
            throw e;
        }
    }

    private final class Counted<T> extends CompletableFuture<T> {

        Counted(CompletionStage<T> answer) {
            answer.whenComplete((result, failure) -> {
                if (failure == null) {
                    complete(result);
                } else {
                    completeExceptionally(failure);
                }
            });
        }

        @Override
        public CompletableFuture<T> whenComplete(BiConsumer<? super T, ? super Throwable> processing) {
            return super.whenComplete((result, failure) -> {
                try {
                    processing.accept(result, failure);
                } finally {
                    add(-1);
                }
            });
        }
    }

    private synchronized void add(int change) {
        number += change;
        notifyAll();
    }

    /** Waits until no command is open, and does something before the next one. */
    synchronized void whenNone(Runnable step) {
        long end = System.nanoTime() + Patience.TIME.toNanos();
        while (number > 0) {
            long millis = (end - System.nanoTime()) / 1_000_000;
            if (millis <= 0) {
                throw new AssertionError(number + " commands are without an answer");
            }
            try {
                wait(millis);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
                throw new AssertionError("interrupted", e);
            }
        }
        step.run();
    }
}
