package io.github.lockstarter.simulation.time;

import java.util.Comparator;
import java.util.PriorityQueue;

/**
 * A clock that stands still while code runs, and the list of future events. One thread runs everything: two runs with
 * the same actions are the same, step by step. Not thread-safe.
 */
public final class VirtualTime {

    /** A monotonic clock begins anywhere. */
    public static final long BEGIN = 1_000_000_000_000L;

    private static final Comparator<Event> ORDER =
            Comparator.<Event>comparingLong(event -> event.at).thenComparingLong(event -> event.number);

    private final PriorityQueue<Event> events = new PriorityQueue<>(ORDER);
    private long now = BEGIN;
    private long number;

    /** Something that is to happen. */
    public static final class Event {

        private final long at;
        private final long number;
        private final Process process;
        private final Runnable action;
        private boolean cancelled;

        private Event(long at, long number, Process process, Runnable action) {
            this.at = at;
            this.number = number;
            this.process = process;
            this.action = action;
        }

        /** Keeps it from happening. */
        public void cancel() {
            cancelled = true;
        }

        /** When it is due. */
        public long at() {
            return at;
        }
    }

    /** The time in nanoseconds. */
    public long nanos() {
        return now;
    }

    /**
     * Schedules an action of a process.
     *
     * @param nanos time; immediately if it is past
     * @param process while it is paused the action waits; once it is dead the action never runs
     * @return can be cancelled
     */
    public Event at(long nanos, Process process, Runnable action) {
        Event event = new Event(Math.max(now, nanos), number++, process, action);
        events.add(event);
        return event;
    }

    /** The same, after some nanoseconds. */
    public Event in(long nanos, Process process, Runnable action) {
        return at(now + nanos, process, action);
    }

    /** Runs all events that are due before the given time, and moves the clock to it. */
    public void runUntil(long nanos) {
        for (Event next = events.peek(); next != null && next.at < nanos; next = events.peek()) {
            events.poll();
            now = Math.max(now, next.at);
            if (!next.cancelled) {
                next.process.run(next.action);
            }
        }
        now = Math.max(now, nanos);
    }
}
