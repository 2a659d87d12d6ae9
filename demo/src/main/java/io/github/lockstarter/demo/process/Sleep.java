package io.github.lockstarter.demo.process;

import java.time.Duration;

/** Pauses of the current thread. */
public final class Sleep {

    private Sleep() {}

    /**
     * Sleeps.
     *
     * @throws IllegalStateException if interrupted; the interrupt flag is restored
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
