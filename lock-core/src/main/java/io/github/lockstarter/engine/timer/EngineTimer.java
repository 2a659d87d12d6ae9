package io.github.lockstarter.engine.timer;

/** Wakes entries at a time. Never calls back from within a call, so that it may be called with a lock held. */
public interface EngineTimer {

    /** Has the entry fire at the given monotonic time or a little later; replaces an earlier or later time. */
    void schedule(TimerEntry entry, long dueNanos);

    /** Keeps the entry from firing. */
    void cancel(TimerEntry entry);
}
