package io.github.lockstarter.faults.worker;

import java.time.Duration;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** An interrupt of the thread that armed it, unless it is disarmed before. Never strikes later than that. */
final class Interruption {

    private final Thread victim = Thread.currentThread();
    private boolean armed = true;

    private Interruption() {}

    static Interruption arm(ScheduledExecutorService timer, Duration after) {
        Interruption interruption = new Interruption();
        timer.schedule(interruption::strike, after.toNanos(), TimeUnit.NANOSECONDS);
        return interruption;
    }

    private synchronized void strike() {
        if (armed) {
            victim.interrupt();
        }
    }

    /** Disarms, and clears the flag. */
    synchronized void disarm() {
        armed = false;
        Thread.interrupted();
    }
}
