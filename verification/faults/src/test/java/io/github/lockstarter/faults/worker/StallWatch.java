package io.github.lockstarter.faults.worker;

import io.github.lockstarter.kit.event.EventKind;
import java.time.Duration;

/**
 * Sleeps for short times and logs when it slept much longer: the process was paused, or the machine was overloaded.
 * Delays in this period are not caused by the lock.
 */
final class StallWatch {

    private static final Duration STEP = Duration.ofMillis(5);
    private static final Duration TOLERATED = Duration.ofMillis(15);

    private final Journal journal;

    private StallWatch(Journal journal) {
        this.journal = journal;
    }

    /** Watches until the JVM ends. */
    static void start(Journal journal) {
        Thread thread = new Thread(new StallWatch(journal)::watch, "lab-stall-watch");
        thread.setDaemon(true);
        thread.start();
    }

    private void watch() {
        long before = System.nanoTime();
        while (true) {
            try {
                Thread.sleep(STEP.toMillis()); // the measured operation
            } catch (InterruptedException e) {
                return;
            }
            long now = System.nanoTime();
            if (now - before > STEP.plus(TOLERATED).toNanos()) {
                journal.write(journal.event(EventKind.STALLED).at(now).between(before, now));
            }
            before = now;
        }
    }
}
