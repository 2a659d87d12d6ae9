package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * Something that happens at a time on an {@link EngineTimer}. Its links belong to the timer and are guarded by its
 * lock.
 */
public abstract class TimerEntry {

    static final long UNSCHEDULED = Long.MIN_VALUE;

    @Nullable
    TimerEntry previous;

    @Nullable
    TimerEntry next;

    /** Tick at which it is due; {@link #UNSCHEDULED} while it is on no list. */
    long tick = UNSCHEDULED;

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
     * Called once per {@link EngineTimer#schedule}, on the watchdog's thread, without a lock held. May come although
     * the entry was cancelled or rescheduled in the same moment: implementations check their own state. Never blocks.
     */
    public abstract void fire();
}
