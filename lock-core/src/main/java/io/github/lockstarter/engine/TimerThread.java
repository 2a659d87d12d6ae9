package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The one timer thread of an engine. It wakes at multiples of {@link #TICK_NANOS}, so that what is due at about the
 * same time fires together; an entry fires up to one tick late. The thread starts with the first entry; without entries
 * it never wakes.
 *
 * <p>Any thread schedules and cancels. Each entry belongs to one of several heaps by the thread that made it, so that
 * callers with keys of their own do not wait for one another; scheduling the latest entry of a heap, and cancelling it,
 * take constant time. Entries fire without a monitor.
 *
 * <p>The thread announces that it is about to sleep, and looks at the heaps afterwards; a caller changes a heap, and
 * looks afterwards until when the thread sleeps: one of them sees the other.
 *
 * <p>Monitors, and not a {@code ReentrantLock}: a thread that dies of a stack overflow inside of that leaves it locked
 * forever; and the monitors of keys are held while an entry is scheduled, so that a virtual thread which waits for a
 * {@code ReentrantLock} there would keep its carrier from the lock's next owner.
 */
final class TimerThread implements EngineTimer {

    private static final long TICK_NANOS = 5_000_000;
    private static final int HEAPS = 16;
    private static final long AWAKE = Long.MIN_VALUE;
    private static final long NEVER = Long.MAX_VALUE;

    private final EngineClock clock;
    private final Function<Runnable, Thread> newThread;
    private final long origin;
    private final Heap[] heaps = Stream.generate(Heap::new).limit(HEAPS).toArray(Heap[]::new);
    private volatile Runnable afterTick = () -> {};
    private volatile long current;

    /** The tick of the first entry that it has seen, or {@link #AWAKE}. */
    private volatile long sleepsUntil = AWAKE;

    private volatile @Nullable Thread thread;
    private @Nullable OutOfMemoryError startFailure;
    private volatile boolean isClosed;

    /** A timer without entries; its thread starts with the first one. */
    TimerThread(EngineClock clock) {
        this(clock, work -> LockThreads.thread("lock-watchdog", work));
    }

    TimerThread(EngineClock clock, Function<Runnable, Thread> newThread) {
        this.clock = clock;
        this.newThread = newThread;
        this.origin = clock.nanos();
    }

    @Override
    public void afterEachTick(Runnable step) {
        afterTick = step;
    }

    @Override
    public void schedule(TimerEntry entry, long dueNanos) {
        long tick = Math.max(current + 1, Math.floorDiv(dueNanos - origin + TICK_NANOS - 1, TICK_NANOS));
        heapOf(entry).put(entry, tick);
        if (thread == null || tick < sleepsUntil) {
            wake();
        }
    }

    @Override
    public void cancel(TimerEntry entry) {
        heapOf(entry).remove(entry);
    }

    private Heap heapOf(TimerEntry entry) {
        return heaps[entry.maker & (HEAPS - 1)];
    }

    boolean isEmpty() {
        return first() == NEVER;
    }

    /**
     * Starts the thread if there is none. Callers schedule in the middle of a change, which must not fail: the next
     * entry tries again.
     */
    private synchronized void wake() {
        notifyAll();
        if (thread == null && !isClosed) {
            try {
                Thread starting = newThread.apply(this::run);
                starting.start();
                thread = starting;
            } catch (OutOfMemoryError noMoreThreads) {
                startFailure = noMoreThreads;
            }
        }
    }

    private void run() {
        try {
            OutOfMemoryError failure = startFailure;
            startFailure = null;
            if (failure != null) {
                EngineLog.report("Starting the thread of the lock watchdog", failure);
            }
            while (awaitDue()) {
                for (Heap heap : heaps) {
                    for (TimerEntry due = heap.poll(current); due != null; due = heap.poll(current)) {
                        EngineLog.guard("A timer of the lock watchdog", TimerEntry::fire, due);
                    }
                }
                EngineLog.guard("A tick of the lock watchdog", afterTick);
            }
        } finally {
            replaceUnlessClosed();
        }
    }

    /** The thread ends before its time, such as for want of memory: the renewals must go on. */
    private synchronized void replaceUnlessClosed() {
        thread = null;
        if (!isClosed && !isEmpty()) {
            wake();
        }
    }

    /** Sleeps until an entry is due. False if the timer is closed. */
    private synchronized boolean awaitDue() {
        while (!isClosed) {
            sleepsUntil = NEVER;
            sleepsUntil = first();
            long now = clock.nanos() - origin;
            current = Math.floorDiv(now, TICK_NANOS);
            if (sleepsUntil <= current) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, sleepsUntil == NEVER ? NEVER : sleepsUntil * TICK_NANOS - now);
            } catch (InterruptedException strangers) {
                // The flag says whether to close; an interrupt by other code must not end the renewals.
            }
        }
        sleepsUntil = AWAKE;
        return !isClosed;
    }

    private long first() {
        long first = NEVER;
        for (Heap heap : heaps) {
            first = Math.min(first, heap.first());
        }
        return first;
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

    /** A binary heap by tick, from place 1 on. Each entry knows its place, which is 0 outside of the heap. */
    private static final class Heap {

        private TimerEntry[] entries = new TimerEntry[16];
        private int size;

        synchronized long first() {
            return tickAt(1);
        }

        /** Takes the first entry out, if it is due. */
        synchronized @Nullable TimerEntry poll(long now) {
            TimerEntry first = tickAt(1) <= now ? entries[1] : null;
            if (first != null) {
                remove(first);
            }
            return first;
        }

        /** Unless it is there for an earlier tick. */
        synchronized void put(TimerEntry entry, long tick) {
            if (entry.place > 0 && entry.tick <= tick) {
                return;
            }
            remove(entry);
            if (size + 1 == entries.length) {
                entries = Arrays.copyOf(entries, 2 * entries.length);
            }
            entry.tick = tick;
            size++;
            settle(entry, size);
        }

        synchronized void remove(TimerEntry entry) {
            if (entry.place > 0) {
                TimerEntry last = entries[size];
                entries[size] = null;
                size--;
                if (last != entry) {
                    settle(last, entry.place);
                }
                entry.place = 0;
            }
        }

        /** Puts the entry where it belongs, from a free place on. */
        private void settle(TimerEntry entry, int free) {
            int place = free;
            while (place > 1 && entry.tick < tickAt(place / 2)) {
                move(entries[place / 2], place);
                place /= 2;
            }
            for (int below = lesser(2 * place); tickAt(below) < entry.tick; below = lesser(2 * place)) {
                move(entries[below], place);
                place = below;
            }
            move(entry, place);
        }

        private int lesser(int left) {
            return tickAt(left + 1) < tickAt(left) ? left + 1 : left;
        }

        private long tickAt(int place) {
            return place > size ? NEVER : entries[place].tick;
        }

        private void move(TimerEntry entry, int place) {
            entries[place] = entry;
            entry.place = place;
        }
    }
}
