package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/** Something that happens at a time on a {@link TimerWheel}. Its links belong to the wheel and are guarded by its lock. */
abstract class TimerEntry {

    @Nullable
    TimerEntry previous;

    @Nullable
    TimerEntry next;

    /** Tick at which it is due; {@link TimerWheel#UNSCHEDULED} while it is on no list. */
    long tick = TimerWheel.UNSCHEDULED;

    /**
     * Called once per {@link TimerWheel#schedule}, on the watchdog's thread, without a lock held. May come although the
     * entry was cancelled or rescheduled in the same moment: implementations check their own state. Never blocks.
     */
    abstract void fire();
}
