package io.github.lockstarter.engine;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.StoreEvent.RecoveryEnded;
import io.github.lockstarter.StoreEvent.RecoveryStarted;
import io.github.lockstarter.engine.settings.EngineClock;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/**
 * Raises one event when a store begins to recover and one when it is over, however many answers say so. The timer finds
 * the end, so that it is noticed also while no caller asks. Thread-safe; there is one entry for each store that ever
 * recovered. Accepted race: an answer that arrives more than {@link #LATE_NANOS} late, and after the end, is taken for
 * another recovery.
 */
final class RecoveryEvents {

    /**
     * An answer of a recovery that is over may arrive so much later; one that ends later than that is of another one.
     */
    private static final long LATE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private final EngineClock clock;
    private final EventDispatcher events;
    private final EngineTimer timer;
    private final Map<String, Store> stores = new ConcurrentHashMap<>();

    RecoveryEvents(EngineClock clock, EventDispatcher events, EngineTimer timer) {
        this.clock = clock;
        this.events = events;
        this.timer = timer;
    }

    /** An answer of the store says that it recovers. */
    void recovers(RecoveryStarted report) {
        long now = clock.nanos();
        long until = now + report.remaining().toNanos();
        Store store = stores.computeIfAbsent(report.store(), name -> new Store(report, now));
        if (store.begins(now, until)) {
            events.publish(report);
            timer.schedule(store, until);
        }
    }

    /** The recoveries of one store, one after the other. While one lasts, its end only moves to later times. */
    private final class Store extends TimerEntry {

        private final String name;
        private final StoreEvent.Scope scope;

        @GuardedBy("this")
        private boolean isRecovering;

        @GuardedBy("this")
        private long since;

        @GuardedBy("this")
        private long until;

        Store(RecoveryStarted first, long now) {
            this.name = first.store();
            this.scope = first.scope();
            this.until = now - 2 * LATE_NANOS;
        }

        /** Notes the end, and says whether the recovery was not known yet. */
        synchronized boolean begins(long now, long end) {
            boolean isNew = !isRecovering && end - until > LATE_NANOS;
            if (isNew) {
                isRecovering = true;
                since = now;
            }
            if (isRecovering && end - until > 0) {
                until = end;
            }
            return isNew;
        }

        @Override
        public void fire() {
            long now = clock.nanos();
            Duration lasted;
            synchronized (this) {
                if (until - now > 0) {
                    timer.schedule(this, until);
                    return;
                }
                isRecovering = false;
                lasted = Duration.ofNanos(now - since);
            }
            events.publish(new RecoveryEnded(name, scope, lasted));
        }
    }
}
