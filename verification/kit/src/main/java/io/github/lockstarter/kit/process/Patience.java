package io.github.lockstarter.kit.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Waits for other processes, which do not report when they are ready. */
public final class Patience {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private Patience() {}

    /** Waits for 30 s at most; returns whether the condition became true. */
    public static boolean until(BooleanSupplier condition) {
        return until(condition, LIMIT);
    }

    /** Waits for a condition; returns whether it became true within the limit. */
    public static boolean until(BooleanSupplier condition, Duration limit) {
        long start = System.nanoTime();
        do {
            if (condition.getAsBoolean()) {
                return true;
            }
            LockSupport.parkNanos(PAUSE.toNanos());
        } while (System.nanoTime() - start < limit.toNanos());
        return condition.getAsBoolean();
    }
}
