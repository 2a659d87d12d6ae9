package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * The locks of this instance, and how they end without its doing: with their leases, by the clock of this machine,
 * since the servers know the session only; and when somebody else deletes their nodes. A watch reports that, which is
 * set when a hold has lasted for a moment: for a short one it would cost a request and a message more. The caller that
 * removes a hold ends it. Thread-safe: a lease is prolonged, and ends, in an atomic step of the map.
 */
final class Holds {

    private static final int RETRY_SECONDS = 1;

    private final ConcurrentMap<LockToken, Hold> holds = new ConcurrentHashMap<>();
    private final ScheduledExecutorService timer;
    private final Deadlines deadlines;
    private final Nodes nodes;
    private final ConnectionEvents connection;

    Holds(ScheduledExecutorService timer, Deadlines deadlines, Nodes nodes, ConnectionEvents connection) {
        this.timer = timer;
        this.deadlines = deadlines;
        this.nodes = nodes;
        this.connection = connection;
    }

    @Nullable
    Hold find(LockToken token) {
        return holds.get(token);
    }

    List<Hold> all() {
        return List.copyOf(holds.values());
    }

    void add(Hold hold) {
        holds.put(hold.token, hold);
        deadlines.add(now -> look(hold, now));
    }

    /** Whether it was there: true for one caller. */
    boolean remove(Hold hold) {
        return holds.remove(hold.token, hold);
    }

    /** The session that had it is over for this instance, though the servers may not have noticed yet. */
    void lost(Hold hold) {
        if (remove(hold)) {
            nodes.delete(hold.node.path());
        }
    }

    /** The lease ends no earlier than then; false if the hold has ended. */
    boolean prolong(Hold hold, long end) {
        return hold
                == holds.computeIfPresent(hold.token, (token, known) -> {
                    known.leaseEnd = end - known.leaseEnd > 0 ? end : known.leaseEnd;
                    return known;
                });
    }

    /** Leaves the line, where this instance perhaps waits again since it has released the hold. */
    void leave(@Nullable Hold hold) {
        if (hold == null) {
            return;
        }
        nodes.deleteBoth(hold.node).whenComplete((done, failure) -> {
            if (failure != null && !timer.isShutdown()) {
                timer.schedule(() -> leave(hold), RETRY_SECONDS, TimeUnit.SECONDS);
            }
        });
    }

    /** Whether the hold has ended. */
    private boolean look(Hold hold, long now) {
        if (holds.get(hold.token) != hold) {
            return true;
        }
        Hold left = holds.computeIfPresent(
                hold.token, (token, known) -> known != hold || known.leaseEnd - now > 0 ? known : null);
        if (left == null) {
            nodes.delete(hold.node.path());
        } else if (now - hold.watchAt >= 0) {
            hold.watchAt = now + TimeUnit.SECONDS.toNanos(RETRY_SECONDS);
            watch(hold);
        }
        return left != hold;
    }

    /** From the answer on, until the hold ends. Without an answer, the hold says that it is not watched. */
    CompletableFuture<?> watch(Hold hold) {
        if (hold.isWatched) {
            return CompletableFuture.completedFuture(null);
        }
        return nodes.watch(hold.node.path(), event -> changed(hold, event)).handle((isThere, failure) -> {
            hold.isWatched = failure == null;
            if (failure == null && !isThere) {
                takenAway(hold);
            }
            return null;
        });
    }

    private void changed(Hold hold, WatchedEvent event) {
        if (event.getType() == EventType.NodeDeleted) {
            takenAway(hold);
        } else if (event.getType() == EventType.NodeDataChanged) {
            hold.isWatched = false; // until the next look
        }
    }

    /** Told before the hold is removed: a renewal that misses it could not say why. */
    private void takenAway(Hold hold) {
        if (!hold.isReleasing && holds.get(hold.token) == hold) {
            connection.revoked(hold);
            remove(hold);
        }
    }
}
