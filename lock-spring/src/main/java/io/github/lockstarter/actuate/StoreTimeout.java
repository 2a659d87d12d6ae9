package io.github.lockstarter.actuate;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** Limits an operator's wait, whatever the store's own timeouts. */
final class StoreTimeout {

    static final Duration LIMIT = Duration.ofSeconds(5);

    private StoreTimeout() {}

    /**
     * An interrupt ends the wait and restores the flag.
     *
     * @param missing creates the answer from the reason for its absence
     */
    static <R> R await(CompletableFuture<R> answer, Function<String, R> missing) {
        CompletableFuture<R> known = answer.exceptionally(
                        failure -> missing.apply("The request to the lock store failed: "
                                + (failure instanceof CompletionException ? failure.getCause() : failure)))
                .completeOnTimeout(
                        missing.apply("The lock store did not answer within " + LIMIT.toSeconds() + "s"),
                        LIMIT.toMillis(),
                        TimeUnit.MILLISECONDS);
        try {
            return BlockingWait.await(known);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return missing.apply("Interrupted while waiting for the lock store");
        }
    }
}
