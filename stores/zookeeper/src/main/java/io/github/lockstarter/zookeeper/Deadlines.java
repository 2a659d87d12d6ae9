package io.github.lockstarter.zookeeper;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Ends unanswered commands and expired leases, up to {@value #PERIOD_MILLIS} ms late. One timer task checks all
 * entries; one per entry would wake the timer's thread with nearly every command. Thread-safe.
 */
final class Deadlines {

    static final int PERIOD_MILLIS = 100;

    private static final long FOREVER_NANOS = Long.MAX_VALUE / 2;

    interface Entry {

        /** Ends the entry if it is due at this time in monotonic nanoseconds. True if it has ended, now or earlier. */
        boolean endIfDue(long now);
    }

    private final Queue<Entry> entries = new ConcurrentLinkedQueue<>();
    private final AtomicBoolean isLookDue = new AtomicBoolean();
    private final ScheduledExecutorService timer;

    Deadlines(ScheduledExecutorService timer) {
        this.timer = timer;
    }

    /** After the shutdown of the timer, ends all entries at once. */
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
