package io.github.lockstarter.zookeeper;

import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import org.apache.zookeeper.WatchedEvent;
import org.apache.zookeeper.Watcher;
import org.apache.zookeeper.Watcher.Event.EventType;
import org.jspecify.annotations.Nullable;

/**
 * Where this instance waits: in the line of each lock by one node. It watches the node right before its own, as far as
 * it knows, and is signalled when that is gone: then its own is the first one, unless it was another waiter that has
 * left.
 *
 * <p>Thread-safe. A watch is removed with its place, since the node that it watches may live for long.
 */
final class Places {

    private final ConcurrentMap<String, Place> places = new ConcurrentHashMap<>();
    private final Nodes nodes;
    private final ConnectionEvents connection;

    Places(Nodes nodes, ConnectionEvents connection) {
        this.nodes = nodes;
        this.connection = connection;
    }

    /** The node by which this instance waits for a lock. */
    final class Place implements Watcher {

        final String key;
        final LockNode node;

        /** Of whose end this instance is told; null if it is told of none. */
        private volatile @Nullable String before;

        private Place(String key, LockNode node) {
            this.key = key;
            this.node = node;
        }

        @Override
        public void process(WatchedEvent event) {
            // A watch may be removed late for a place of before, with those of this one.
            if (event.getType() == EventType.NodeDeleted || event.getType() == EventType.ChildWatchRemoved) {
                gone(this, event.getPath());
            }
        }
    }

    @Nullable
    Place find(String key) {
        return places.get(key);
    }

    /** This instance waits by the node from now on. */
    Place add(String key, LockNode node) {
        Place place = new Place(key, node);
        Place old = places.put(key, place);
        if (old != null) {
            end(old);
        }
        return place;
    }

    /** Has this instance told when that node, which is before the place, is gone. */
    void watch(Place place, String name) {
        String before = place.node.directory() + '/' + name;
        if (before.equals(place.before)) {
            return;
        }
        unwatch(place);
        place.before = before;
        nodes.watchEnd(before, place).whenComplete((isThere, failure) -> {
            if (places.get(place.key) != place) {
                nodes.unwatchEnd(before);
            } else if (failure != null) {
                place.before = null; // the next attempt looks who is before it
            } else if (!isThere) {
                gone(place, before);
            }
        });
    }

    /** The attempt that follows the signal finds out whether this instance is the first one. */
    private void gone(Place place, String path) {
        if (places.get(place.key) != place || !path.equals(place.before)) {
            return; // of an earlier watch
        }
        place.before = null;
        connection.signal(place.key);
    }

    /** The node waits no more, since it gets the lock; false if it was left before, and does not get it. */
    boolean granted(Place place) {
        return places.remove(place.key, place);
    }

    CompletableFuture<?> leave(String key) {
        Place place = places.remove(key);
        return place == null ? CompletableFuture.completedFuture(null) : end(place);
    }

    /** Without effect on the node of a place that was granted. */
    CompletableFuture<?> leave(Place place) {
        return places.remove(place.key, place) ? end(place) : CompletableFuture.completedFuture(null);
    }

    private CompletableFuture<?> end(Place place) {
        unwatch(place);
        return nodes.delete(place.node.path());
    }

    private void unwatch(Place place) {
        String before = place.before;
        if (before != null) {
            nodes.unwatchEnd(before);
        }
    }

    void leaveAll() {
        List.copyOf(places.values()).forEach(this::leave);
    }
}
