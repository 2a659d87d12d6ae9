package io.github.lockstarter.kit;

import java.time.Duration;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * How long every test waits for something that is to happen: longer than any pause of a busy machine. It passes only
 * when the test fails.
 */
public final class Patience {

    public static final long SECONDS = 60;

    public static final Duration TIME = Duration.ofSeconds(SECONDS);

    /** How long a test watches that something does not happen, where a busy machine only lets it pass. */
    public static final int MOMENT_MILLIS = 300;

    private Patience() {}

    /** The result of what is to happen. */
    public static <R> R answer(CompletionStage<R> stage) {
        try {
            return stage.toCompletableFuture().get(SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException | ExecutionException | TimeoutException e) {
            throw new AssertionError("No answer: " + e, e);
        }
    }
}
