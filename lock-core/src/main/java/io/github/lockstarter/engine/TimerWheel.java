package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The one timer thread of an engine: a hashed timing wheel (Varghese and Lauck, "Hashed and Hierarchical Timing
 * Wheels", SOSP 1987). Scheduling and cancelling take constant time and allocate nothing, so that the churn of short
 * holds leaves no trace; an entry fires up to one tick late.
 *
 * <p>Any thread schedules and cancels, under the monitor of this object for a few instructions; entries fire outside of
 * it. The thread starts with the first entry and sleeps until a slot is due; without entries it never wakes.
 *
 * <p>A monitor, and not a {@code ReentrantLock}: a thread that dies of a stack overflow inside of that leaves it locked
 * for ever; and the monitors of keys are held while an entry is scheduled, so that a virtual thread which waits for a
 * {@code ReentrantLock} there would keep its carrier from the lock's next owner.
 */
final class TimerWheel implements EngineTimer {

    private static final long TICK_NANOS = 5_000_000;
    private static final int SLOTS = 1024;

    private final EngineClock clock;
    private final Function<Runnable, Thread> newThread;
    private final long origin;
    private final @Nullable TimerEntry[] slots = new TimerEntry[SLOTS];
    private volatile Runnable afterTick = () -> {};

    /** What fires in this tick; belongs to the timer's thread. */
    private final List<TimerEntry> due = new ArrayList<>();

    private long current;
    private long sleepsUntil = Long.MAX_VALUE;
    private int size;
    private @Nullable Thread thread;
    private @Nullable OutOfMemoryError startFailure;
    private boolean isClosed;

    /** A timer without entries; its thread starts with the first one. */
    TimerWheel(EngineClock clock) {
        this(clock, work -> LockThreads.thread("lock-watchdog", work));
    }

    TimerWheel(EngineClock clock, Function<Runnable, Thread> newThread) {
        this.clock = clock;
        this.newThread = newThread;
        this.origin = clock.nanos();
    }

    @Override
    public void afterEachTick(Runnable step) {
        afterTick = step;
    }

    @Override
    public synchronized void schedule(TimerEntry entry, long dueNanos) {
        if (isClosed) {
            return;
        }
        unlink(entry);
        link(entry, Math.max(current + 1, tickAfter(dueNanos)));
        if (thread == null) {
            start();
        } else if (entry.tick < sleepsUntil) {
            notifyAll();
        }
    }

    @Override
    public synchronized void cancel(TimerEntry entry) {
        unlink(entry);
    }

    synchronized int size() {
        return size;
    }

    private void run() {
        try {
            reportFailure();
            while (awaitDue()) {
                for (TimerEntry entry : due) {
                    EngineLog.guard("A timer of the lock watchdog", entry::fire);
                }
                due.clear();
                EngineLog.guard("A tick of the lock watchdog", afterTick);
            }
        } finally {
            replaceUnlessClosed();
        }
    }

    private void reportFailure() {
        OutOfMemoryError failure;
        synchronized (this) {
            failure = startFailure;
            startFailure = null;
        }
        if (failure != null) {
            EngineLog.report("Starting the thread of the lock watchdog", failure);
        }
    }

    /** The thread ends before its time, such as for want of memory: the renewals must go on. */
    private synchronized void replaceUnlessClosed() {
        thread = null;
        for (int i = 0; i < due.size(); i++) { // without an iterator: there may be no memory for one
            TimerEntry entry = due.get(i);
            if (entry.tick == TimerEntry.UNSCHEDULED) {
                link(entry, current + 1);
            }
        }
        due.clear();
        if (!isClosed && size > 0) {
            start();
        }
    }

    /** Callers schedule in the middle of a change, which must not fail: the next entry tries again. */
    private void start() {
        try {
            Thread starting = newThread.apply(this::run);
            starting.start();
            thread = starting;
        } catch (OutOfMemoryError noMoreThreads) {
            startFailure = noMoreThreads;
        }
    }

    private synchronized boolean awaitDue() {
        while (!isClosed) {
            collect();
            if (!due.isEmpty()) {
                return true;
            }
            sleep();
        }
        return false;
    }

    private void collect() {
        long now = Math.floorDiv(clock.nanos() - origin, TICK_NANOS);
        long first = Math.max(current + 1, now - SLOTS + 1);
        current = Math.max(current, now);
        for (long tick = first; tick <= now && size > 0; tick++) {
            TimerEntry entry = slots[slot(tick)];
            while (entry != null) {
                TimerEntry following = entry.next;
                if (entry.tick <= now) {
                    due.add(entry);
                    unlink(entry);
                }
                entry = following;
            }
        }
    }

    @SuppressWarnings("WaitNotInLoop") // the loop is in awaitDue, which looks again after every wake-up
    private void sleep() {
        sleepsUntil = nextOccupied();
        long nanos = sleepsUntil == Long.MAX_VALUE ? 0 : origin + sleepsUntil * TICK_NANOS - clock.nanos();
        try {
            if (sleepsUntil == Long.MAX_VALUE) {
                wait();
            } else if (nanos > 0) {
                wait(nanos / 1_000_000, (int) (nanos % 1_000_000));
            }
        } catch (InterruptedException strangers) {
            // The flag says whether to close; an interrupt by other code must not end the renewals.
        } finally {
            sleepsUntil = Long.MIN_VALUE;
        }
    }

    /** The next tick whose slot has an entry, which may be one of a later round: then the thread wakes for nothing. */
    private long nextOccupied() {
        if (size > 0) {
            for (long tick = current + 1; tick <= current + SLOTS; tick++) {
                if (slots[slot(tick)] != null) {
                    return tick;
                }
            }
        }
        return Long.MAX_VALUE;
    }

    private void link(TimerEntry entry, long tick) {
        int slot = slot(tick);
        TimerEntry head = slots[slot];
        entry.tick = tick;
        entry.previous = null;
        entry.next = head;
        if (head != null) {
            head.previous = entry;
        }
        slots[slot] = entry;
        size++;
    }

    private void unlink(TimerEntry entry) {
        if (entry.tick == TimerEntry.UNSCHEDULED) {
            return;
        }
        TimerEntry before = entry.previous;
        TimerEntry after = entry.next;
        if (before == null) {
            slots[slot(entry.tick)] = after;
        } else {
            before.next = after;
        }
        if (after != null) {
            after.previous = before;
        }
        entry.previous = null;
        entry.next = null;
        entry.tick = TimerEntry.UNSCHEDULED;
        size--;
    }

    private long tickAfter(long dueNanos) {
        return Math.floorDiv(dueNanos - origin + TICK_NANOS - 1, TICK_NANOS);
    }

    private static int slot(long tick) {
        return (int) (tick & (SLOTS - 1));
    }

    /** Ends the thread; what is still scheduled never fires. Does not wait when called by an entry. */
    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            isClosed = true;
            running = thread;
            notifyAll();
        }
        if (running != null && running != Thread.currentThread()) {
            LockThreads.join(running);
        }
    }
}
