package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.sample.SimulatedWork;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/** Waits until servers are what they are to be. */
public final class Readiness {

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration LOOK = Duration.ofMillis(50);

    private Readiness() {}

    /**
     * Waits.
     *
     * @param what what is waited for, for the message
     * @param isReached asked until it is true; an exception of the Redis client is no
     * @throws IllegalStateException when it is not true in time
     */
    public static void await(String what, BooleanSupplier isReached) {
        await(what, PATIENCE, isReached);
    }

    /**
     * Waits.
     *
     * @param what what is waited for, for the message
     * @param patience for how long
     * @param isReached asked until it is true; an exception of the Redis client is no
     * @throws IllegalStateException when it is not true in time
     */
    public static void await(String what, Duration patience, BooleanSupplier isReached) {
        long deadline = System.nanoTime() + patience.toNanos();
        while (!holds(isReached)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Waited " + patience.toSeconds() + "s in vain until " + what);
            }
            SimulatedWork.lasting(LOOK);
        }
    }

    private static boolean holds(BooleanSupplier isReached) {
        try {
            return isReached.getAsBoolean();
        } catch (RedisException notYet) {
            return false;
        }
    }
}
