package io.github.lockstarter.actuate;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;

/** The longest wait of an operator for the store, independent of the store's own timeouts. */
final class StoreTimeout {

    static final Duration LIMIT = Duration.ofSeconds(5);

    private StoreTimeout() {}

    /** The store's answer, or a substitute that says why there is none. */
    static <R> R await(CompletableFuture<R> answer, Function<String, R> missing) {
        try {
            return BlockingWait.await(answer, LIMIT);
        } catch (TimeoutException e) {
            return missing.apply("The lock store did not answer within " + LIMIT.toSeconds() + "s");
        } catch (CompletionException e) {
            return missing.apply("The lock store could not be asked: " + e.getCause());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return missing.apply("Interrupted while waiting for the lock store");
        }
    }
}
