package io.github.lockstarter.zookeeper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends commands without an answer, and leases that are over, up to {@value #PERIOD_MILLIS} ms late. The timer looks at
 * all of them together, and only while there are any: a timer for each would wake its thread with nearly every command.
 *
 * <p>Thread-safe. Each look is scheduled by the first entry after the one before.
 */
final class Deadlines {

    static final int PERIOD_MILLIS = 100;

    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    interface Entry {

        /**
         * Ends it if it is over.
         *
         * @param now in monotonic nanoseconds
         * @return whether it has ended, by this call or before
         */
        boolean endIfDue(long now);
    }

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final ScheduledExecutorService timer;

    Deadlines(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** Ends everything at once if the timer was shut down. */
    void add(Entry entry) {
        entries.add(entry);
        lookLater();
    }

    private void lookLater() {
        if (timer.isShutdown()) {
            endAll();
        } else if (isLookDue.compareAndSet(false, true)) {
            try {
                timer.schedule(() -> look(System.nanoTime()), PERIOD_MILLIS, TimeUnit.MILLISECONDS);
            } catch (RejectedExecutionException e) {
                endAll();
            }
        }
    }

    private void endAll() {
        long end = System.nanoTime() + FOREVER_NANOS;
        for (Entry entry = entries.poll(); entry != null; entry = entries.poll()) {
            entry.endIfDue(end);
        }
    }

    private void look(long now) {
        isLookDue.set(false);
        try {
            entries.removeIf(entry -> entry.endIfDue(now));
        } finally {
            if (!entries.isEmpty()) {
                lookLater();
            }
        }
    }
}
