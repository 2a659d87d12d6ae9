package io.github.lockstarter.engine;

/**
 * Fires entries at their times, one after the other. Never calls back from within a call, so it may be called with a
 * lock held. Thread-safe.
 */
public interface EngineTimer extends AutoCloseable {

    /**
     * Schedules the entry for this time or a little later, unless it is already scheduled for an earlier one.
     *
     * @param entry fires once
     * @param dueNanos monotonic time
     */
    void schedule(TimerEntry entry, long dueNanos);

    /**
     * Cancels the entry.
     *
     * @param entry scheduled or not
     */
    void cancel(TimerEntry entry);

    /**
     * Runs the step after each tick in which entries fired, on the same thread.
     *
     * @param step replaces an earlier step
     */
    void afterEachTick(Runnable step);

    /** Drops all entries. Does not wait when called by an entry. */
    @Override
    void close();
}
