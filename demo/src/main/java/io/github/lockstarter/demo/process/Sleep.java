package io.github.lockstarter.demo.process;

import java.time.Duration;

/** Lets time pass. */
public final class Sleep {

    private Sleep() {}

    /**
     * Blocks for that long.
     *
     * @throws IllegalStateException when interrupted; the flag is set again
     */
    public static void lasting(Duration duration) {
        try {
            Thread.sleep(duration.toMillis());
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted", interrupt);
        }
    }
}
