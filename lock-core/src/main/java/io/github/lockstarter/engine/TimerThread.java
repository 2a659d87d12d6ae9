package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * The timer thread of an engine. Wakes at multiples of {@link #TICK_NANOS}, so entries due at about the same time fire
 * together, up to one tick late. Starts with the first entry; without entries it never wakes.
 *
 * <p>The creating thread selects an entry's heap, so callers with separate keys do not contend; to schedule or cancel
 * the latest entry of a heap takes constant time.
 *
 * <p>The thread publishes its wake-up time before it reads the heaps again; a caller changes a heap before it reads
 * that time: at least one sees the other.
 *
 * <p>Monitors for the reason in {@link KeyLock}; besides, a virtual thread that waits for a {@code ReentrantLock} while
 * it schedules under a key's monitor would keep its carrier from the lock's next owner.
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

    /** Tick of the earliest entry at its last check, or {@link #AWAKE}. */
    private volatile long sleepsUntil = AWAKE;

    private volatile @Nullable Thread thread;
    private @Nullable OutOfMemoryError startFailure;
    private volatile boolean closed;

    TimerThread(EngineClock clock) {
        this(clock, work -> LockThreads.nonBlocking("lock-watchdog", work));
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
        return heaps[entry.creatorId & (HEAPS - 1)];
    }

    boolean isEmpty() {
        return first() == NEVER;
    }

    /**
     * Wakes or starts the thread. Must not fail, since callers schedule in the middle of a change: the next entry
     * retries.
     */
    private synchronized void wake() {
        notifyAll();
        if (thread == null && !closed) {
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

    /** Renewals must continue if the thread fails, for example for lack of memory. */
    private synchronized void replaceUnlessClosed() {
        thread = null;
        if (!closed && !isEmpty()) {
            wake();
        }
    }

    /** False once closed. */
    private synchronized boolean awaitDue() {
        while (!closed) {
            sleepsUntil = NEVER;
            sleepsUntil = first();
            long now = clock.nanos() - origin;
            current = Math.floorDiv(now, TICK_NANOS);
            if (sleepsUntil <= current) {
                break;
            }
            try {
                TimeUnit.NANOSECONDS.timedWait(this, sleepsUntil == NEVER ? NEVER : sleepsUntil * TICK_NANOS - now);
            } catch (InterruptedException foreign) {
                // Only the flag closes: an interrupt by foreign code must not end renewals.
            }
        }
        sleepsUntil = AWAKE;
        return !closed;
    }

    private long first() {
        long first = NEVER;
        for (Heap heap : heaps) {
            first = Math.min(first, heap.first());
        }
        return first;
    }

    @Override
    public void close() {
        Thread running;
        synchronized (this) {
            closed = true;
            running = thread;
            notifyAll();
        }
        if (running != null && running != Thread.currentThread()) {
            LockThreads.join(running);
        }
    }

    /** A binary heap by tick, from place 1. An entry's place is 0 outside it. */
    private static final class Heap {

        private TimerEntry[] entries = new TimerEntry[16];
        private int size;

        synchronized long first() {
            return tickAt(1);
        }

        synchronized @Nullable TimerEntry poll(long now) {
            TimerEntry first = tickAt(1) <= now ? entries[1] : null;
            if (first != null) {
                remove(first);
            }
            return first;
        }

        synchronized void put(TimerEntry entry, long tick) {
            if (entry.place > 0 && entry.tick <= tick) {
                return;
            }
            if (2 * size >= entries.length) {
                grow();
            }
            remove(entry);
            entry.tick = tick;
            size++;
            sift(entry, size);
        }

        /** Early, so that entries have room while the memory is full. */
        private void grow() {
            try {
                entries = Arrays.copyOf(entries, 2 * entries.length);
            } catch (OutOfMemoryError e) {
                if (size + 1 == entries.length) {
                    throw e;
                }
            }
        }

        synchronized void remove(TimerEntry entry) {
            if (entry.place > 0) {
                TimerEntry last = entries[size];
                entries[size] = null;
                size--;
                if (last != entry) {
                    sift(last, entry.place);
                }
                entry.place = 0;
            }
        }

        /** Restores the order from a free place. */
        private void sift(TimerEntry entry, int free) {
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
