package io.github.lockstarter.engine;

import org.jspecify.annotations.Nullable;

/**
 * A timer whose entry fires when the test says so. It takes the {@link KeyLock} only: its callers look at their clocks
 * in steps of their own, and other entries, such as the repetition of a release, change no {@link KeyLock}.
 */
final class ManualTimer implements EngineTimer {

    static final long NEVER = Long.MAX_VALUE;

    private @Nullable TimerEntry entry;
    private transient Runnable afterTick = () -> {};

    /** When the entry is due. */
    long next = NEVER;

    boolean closed;

    @Override
    public void schedule(TimerEntry scheduled, long dueNanos) {
        if (!closed && scheduled instanceof KeyLock) {
            next = scheduled == entry ? Math.min(next, dueNanos) : dueNanos;
            entry = scheduled;
        }
    }

    @Override
    public void cancel(TimerEntry cancelled) {
        if (cancelled == entry) {
            next = NEVER;
        }
    }

    @Override
    public void afterEachTick(Runnable step) {
        afterTick = step;
    }

    @Override
    public void close() {
        closed = true;
        next = NEVER;
    }

    void tick(long now) {
        TimerEntry due = next <= now ? entry : null;
        if (due != null) {
            next = NEVER;
            due.fire();
        }
        afterTick.run();
    }
}
