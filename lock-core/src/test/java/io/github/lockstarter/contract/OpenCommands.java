package io.github.lockstarter.contract;

import io.github.lockstarter.kit.Patience;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Supplier;

/**
 * The attempts and renewals that engines have sent and whose answers they have not received. A clock that is set
 * meanwhile makes their answers too late. Thread-safe.
 */
final class OpenCommands {

    private int number;

    /** Counts a command until its answer was received. */
    <T> CompletionStage<T> count(Supplier<CompletionStage<T>> command) {
        add(1);
        CompletableFuture<T> answer = new CompletableFuture<>();
        try {
            command.get().whenComplete((result, failure) -> {
                try {
                    if (failure == null) {
                        answer.complete(result);
                    } else {
                        answer.completeExceptionally(failure);
                    }
                } finally {
                    add(-1);
                }
            });
        } catch (RuntimeException | Error e) {
            add(-1);
            throw e;
        }
        return answer;
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
