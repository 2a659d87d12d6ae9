package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this instance, and the ends of their leases, by the clock of this machine: the servers know the session
 * only. The caller that removes a hold ends it. Thread-safe.
 */
final class Holds {

    private final ConcurrentMap<Hold.Id, Hold> holds = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer;
    private final Consumer<Hold> onLeaseOver;

    /**
     * Without a hold yet.
     *
     * @param timer tells the ends of leases
     * @param onLeaseOver called on the timer's thread with a hold that was removed
     */
    Holds(ScheduledExecutorService timer, Consumer<Hold> onLeaseOver) {
        this.timer = timer;
        this.onLeaseOver = onLeaseOver;
    }

    @Nullable
    Hold find(String key, LockToken token) {
        return holds.get(new Hold.Id(key, token));
    }

    void add(Hold hold) {
        holds.put(hold.id, hold);
        schedule(hold);
    }

    /** Whether it was there: true for one caller. */
    boolean remove(Hold hold) {
        boolean removed = holds.remove(hold.id, hold);
        if (removed) {
            hold.stopTimer();
        }
        return removed;
    }

    List<Hold> all() {
        return List.copyOf(holds.values());
    }

    private void schedule(Hold hold) {
        long left = hold.nanosLeft(System.nanoTime());
        if (!timer.isShutdown()) {
            hold.timer = timer.schedule(() -> leaseEnds(hold), Math.max(left, 0), TimeUnit.NANOSECONDS);
        }
    }

    private void leaseEnds(Hold hold) {
        if (!hold.endIfOver(System.nanoTime())) {
            if (holds.get(hold.id) == hold) {
                schedule(hold);
            }
        } else if (remove(hold)) {
            onLeaseOver.accept(hold);
        }
    }
}
