package io.github.lockstarter.demo.experiment.run;

import io.github.lockstarter.sample.SimulatedWork;
import io.lettuce.core.RedisException;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/** Looks again and again, for a while. */
final class Patience {

    private static final Duration LOOK = Duration.ofMillis(5);

    private Patience() {}

    /** Waits until something is so, or the time is up. */
    static void await(Duration longest, BooleanSupplier isReached) {
        long deadline = System.nanoTime() + longest.toNanos();
        while (!isReached.getAsBoolean() && System.nanoTime() < deadline) {
            SimulatedWork.lasting(LOOK);
        }
    }

    /** Asks Redis, again while it is away; then fails as the last question did. */
    static long ask(Duration longest, LongSupplier question) {
        long deadline = System.nanoTime() + longest.toNanos();
        while (true) {
            try {
                return question.getAsLong();
            } catch (RedisException away) {
                if (System.nanoTime() > deadline) {
                    throw away;
                }
                SimulatedWork.lasting(LOOK);
            }
        }
    }
}
