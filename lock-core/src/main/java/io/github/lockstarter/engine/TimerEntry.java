package io.github.lockstarter.engine;

/**
 * Something that happens at a time on an {@link EngineTimer}. Its place and its tick belong to the timer and are
 * guarded by its heap.
 */
public abstract class TimerEntry {

    /** The thread that made it decides about its heap. */
    final short maker = (short) Thread.currentThread().getId();

    /** In its heap; 0 outside. */
    int place;

    long tick;

    /** An entry that has no other purpose than a step, which is as {@link #fire}. */
    static TimerEntry of(Runnable step) {
        return new TimerEntry() {
            @Override
            public void fire() {
                step.run();
            }
        };
    }

    /**
     * Called once for each time that was scheduled, perhaps more often, on the watchdog's thread, without a lock held.
     * May come although the entry was cancelled or rescheduled in the same moment: implementations check their own
     * state. Never blocks.
     */
    public abstract void fire();
}
