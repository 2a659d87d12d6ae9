package io.github.lockstarter.simulation.time;

import io.github.lockstarter.engine.EngineTimer;
import io.github.lockstarter.engine.TimerEntry;
import java.util.HashMap;
import java.util.Map;

/** The timer of an engine, in ticks as the real one: entries fire up to one tick late, and a step follows each tick. */
public final class VirtualTimer implements EngineTimer {

    private static final long TICK_NANOS = 5_000_000;

    private final VirtualTime time;
    private final Process process;
    private final long origin;
    private final Map<TimerEntry, VirtualTime.Event> scheduled = new HashMap<>();
    private Runnable afterTick = () -> {};
    private long steppedAt = -1;
    private boolean closed;

    /** A timer without entries. */
    public VirtualTimer(VirtualTime time, Process process) {
        this.time = time;
        this.process = process;
        this.origin = time.nanos();
    }

    @Override
    public void schedule(TimerEntry entry, long dueNanos) {
        long ticks = Math.floorDiv(Math.max(dueNanos, time.nanos() + 1) - origin + TICK_NANOS - 1, TICK_NANOS);
        long due = origin + ticks * TICK_NANOS;
        VirtualTime.Event known = scheduled.get(entry);
        if (!closed && (known == null || due < known.at())) {
            cancel(entry);
            scheduled.put(entry, time.at(due, process, () -> fire(entry)));
        }
    }

    private void fire(TimerEntry entry) {
        VirtualTime.Event event = scheduled.remove(entry);
        if (closed || event == null) {
            return;
        }
        entry.fire();
        if (steppedAt != time.nanos()) {
            steppedAt = time.nanos();
            time.in(0, process, () -> afterTick.run());
        }
    }

    @Override
    public void cancel(TimerEntry entry) {
        VirtualTime.Event event = scheduled.remove(entry);
        if (event != null) {
            event.cancel();
        }
    }

    @Override
    public void afterEachTick(Runnable step) {
        afterTick = step;
    }

    @Override
    public void close() {
        closed = true;
        scheduled.values().forEach(VirtualTime.Event::cancel);
        scheduled.clear();
    }
}
