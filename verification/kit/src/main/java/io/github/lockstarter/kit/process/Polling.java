package io.github.lockstarter.kit.process;

import java.time.Duration;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/** Polls conditions of other processes. */
public final class Polling {

    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final Duration PAUSE = Duration.ofMillis(10);

    private Polling() {}

    /** Waits at most 30 s; returns whether the condition became true. */
    public static boolean until(BooleanSupplier condition) {
        return until(condition, LIMIT);
    }

    /** Waits at most this long; returns whether the condition became true. */
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
