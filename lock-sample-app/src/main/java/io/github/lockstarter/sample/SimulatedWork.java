package io.github.lockstarter.sample;

import java.time.Duration;

/** Stands for work that takes its time somewhere else, such as a call to a carrier. */
public final class SimulatedWork {

    private SimulatedWork() {}

    /**
     * Takes that long.
     *
     * @param duration zero or more
     * @throws IllegalStateException when interrupted; the flag is set again
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
