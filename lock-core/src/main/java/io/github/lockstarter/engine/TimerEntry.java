package io.github.lockstarter.engine;

/** An entry of an {@link EngineTimer}. {@code place} and {@code tick} are guarded by the timer's heap. */
public abstract class TimerEntry {

    /** Creating thread, which selects the heap. */
    final short creatorId = (short) Thread.currentThread().getId();

    int place;

    long tick;

    static TimerEntry of(Runnable step) {
        return new TimerEntry() {
            @Override
            public void fire() {
                step.run();
            }
        };
    }

    /**
     * Called at least once per scheduled time, on the watchdog's thread, without a lock held, perhaps just after a
     * cancel or reschedule: implementations check their state. Never blocks.
     */
    public abstract void fire();
}
