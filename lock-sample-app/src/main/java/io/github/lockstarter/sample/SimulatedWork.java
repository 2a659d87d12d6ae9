package io.github.lockstarter.sample;

import java.time.Duration;

/** Simulates slow work, such as a call to a carrier. */
public final class SimulatedWork {

    private SimulatedWork() {}

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
            throw new IllegalStateException("Interrupted during " + duration + " of work", interrupt);
        }
    }
}
