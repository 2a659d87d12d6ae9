package io.github.lockstarter.engine;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.RecoveryEnded;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.engine.settings.EngineClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Publishes one event when a store begins to recover and one at the end, however many answers report it. The store's
 * threads report; the timer's thread detects the end, even without calls.
 *
 * <p>{@code stores} has an entry for each store that ever recovered. The thread that publishes the first event opens
 * the entry's recovery, and the timer's thread closes it; while open, its end only moves later. Accepted race: an
 * answer that arrives after the end, and more than {@link #LATE_NANOS} late, starts another recovery.
 */
final class RecoveryEvents {

    /** Delay of late answers: a recovery that ends later than this after a finished one is a new one. */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineClock clock;
    private final EventDispatcher events;
    private final EngineTimer timer;
    private final Map<String, RecoveringStore> stores = new ConcurrentHashMap<>();

    RecoveryEvents(EngineClock clock, EventDispatcher events, EngineTimer timer) {
        this.clock = clock;
        this.events = events;
        this.timer = timer;
    }

    void recovers(RecoveryStarted report) {
        long now = clock.nanos();
        long until = now + report.remaining().toNanos();
        RecoveringStore store = stores.computeIfAbsent(report.store(), name -> new RecoveringStore(report, now));
        if (store.extend(now, until)) {
            events.publish(report);
            timer.schedule(store, until);
        }
    }

    private final class RecoveringStore extends TimerEntry {

        private final String name;
        private final StoreEvent.Scope scope;
        private final AtomicReference<Recovery> recovery;

        RecoveringStore(RecoveryStarted first, long now) {
            this.name = first.store();
            this.scope = first.scope();
            this.recovery = new AtomicReference<>(new Recovery(false, now, now - 2 * LATE_NANOS));
        }

        /** True for a new recovery. */
        boolean extend(long now, long until) {
            Recovery before = recovery.getAndUpdate(last -> last.reported(now, until));
            return !before.open && before.reported(now, until).open;
        }

        @Override
        public void fire() {
            long now = clock.nanos();
            Recovery before = recovery.getAndUpdate(last -> last.isOver(now) ? last.closed() : last);
            if (before.open && !before.isOver(now)) {
                timer.schedule(this, before.until);
            } else if (before.open) {
                events.publish(new RecoveryEnded(name, scope, Duration.ofNanos(now - before.since)));
            }
        }
    }

    private record Recovery(boolean open, long since, long until) {

        Recovery reported(long now, long end) {
            if (open) {
                return end - until > 0 ? new Recovery(true, since, end) : this;
            }
            return end - until > LATE_NANOS ? new Recovery(true, now, end) : this;
        }

        boolean isOver(long now) {
            return until - now <= 0;
        }

        Recovery closed() {
            return new Recovery(false, since, until);
        }
    }
}
