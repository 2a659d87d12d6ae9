package io.github.lockstarter.testing;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for other processes, which tell nobody when they are ready. */
public final class Patience {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private Patience() {}

    public static boolean until(BooleanSupplier condition) {
        long start = System.nanoTime();
        while (System.nanoTime() - start < LIMIT.toNanos()) {
            if (condition.getAsBoolean()) {
                return true;
            }
            pause();
        }
        return false;
    }

    /** A moment between two looks. */
    static void pause() {
        LockSupport.parkNanos(PAUSE.toNanos());
    }
}
