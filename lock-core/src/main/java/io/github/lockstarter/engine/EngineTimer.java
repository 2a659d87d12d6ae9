package io.github.lockstarter.engine;

/**
 * Wakes entries at a time, one after the other. Never calls back from within a call, so that it may be called with a
 * lock held. Thread-safe.
 */
public interface EngineTimer extends AutoCloseable {

    /**
     * Has the entry fire at the given monotonic time or a little later; if it is scheduled for an earlier time, only
     * then.
     *
     * @param entry fires once
     * @param dueNanos monotonic time
     */
    void schedule(TimerEntry entry, long dueNanos);

    /**
     * Keeps the entry from firing.
     *
     * @param entry scheduled or not
     */
    void cancel(TimerEntry entry);

    /**
     * Runs the step whenever entries have fired, where they fire; replaces an earlier step.
     *
     * @param step follows the entries of a tick
     */
    void afterEachTick(Runnable step);

    /** What is still scheduled never fires. Does not wait when called by an entry. */
    @Override
    void close();
}
