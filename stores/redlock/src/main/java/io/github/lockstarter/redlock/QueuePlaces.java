package io.github.lockstarter.redlock;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.AcquireCommand.Waiting;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Set;

/**
 * This instance's places in the queues of all nodes, by key.
 * <p><b>Positions.</b> Each node has its own queue with positions by its own clock. A retry sends each node the
 * position that this node assigned, so all queues keep the order of arrival.
 * <p><b>Signals.</b> Every node signals the same release. Only the first signal since the start of the last attempt is
 * forwarded: the attempt that it causes starts after all dropped signals, so it sees the releases that they announced.
 * A minority vote that another instance gives back is signalled, too, and costs an attempt. The notices of all nodes
 * that another instance wants the lock are forwarded once per attempt, too, so once per grant.
 * <p>An entry lives from the first waiting attempt, or the requeueing release, until the wait ends; without one,
 * signals are dropped. Beyond {@link #MOST} waits, the least recently used is dropped, and the instance polls for it;
 * beyond as many notices, the oldest is dropped, and may be forwarded twice. Thread-safe.
 */
final class QueuePlaces {

    static final int MOST = 16_384;

    private static final class Place {
        private final long[] positions;
        private boolean signalled;

        Place(int nodes) {
            positions = new long[nodes];
        }
    }

    private final Map<String, Place> places = new LinkedHashMap<>(16, 0.75f, true);
    private final Set<String> wanted = new LinkedHashSet<>();
    private final int nodes;

    QueuePlaces(int nodes) {
        this.nodes = nodes;
    }

    /**
     * Called before the attempt is sent.
     *
     * @return whether a wait begins with it
     */
    synchronized boolean begin(AcquireCommand attempt) {
        wanted.remove(attempt.key());
        Place place = places.get(attempt.key());
        if (place != null) {
            place.signalled = false;
            return false;
        }
        if (attempt.waiting().isPresent()) {
            add(attempt.key());
        }
        return attempt.waiting().isPresent();
    }

    synchronized AcquireCommand placed(int node, AcquireCommand attempt) {
        Waiting waiting = attempt.waiting().orElse(null);
        Place place = places.get(attempt.key());
        return waiting == null
                        || place == null
                        || waiting.position() == Waiting.NEW
                        || place.positions[node] == Waiting.NEW
                ? attempt
                : attempt.with(new Waiting(place.positions[node], waiting.patience()));
    }

    synchronized void place(int node, String key, long position) {
        Place place = places.get(key);
        if (place != null) {
            place.positions[node] = position;
        }
    }

    synchronized void end(String key) {
        places.remove(key);
    }

    /** Called before a release requeues this instance: pending signals belong to its earlier place. */
    synchronized void requeue(String key) {
        end(key);
        add(key);
    }

    /** {@return whether to forward it} */
    synchronized boolean signal(String key) {
        Place place = places.get(key);
        if (place == null || place.signalled) {
            return false;
        }
        place.signalled = true;
        return true;
    }

    /** {@return whether to forward it} */
    synchronized boolean want(String key) {
        boolean first = wanted.add(key);
        limit(wanted);
        return first;
    }

    synchronized int size() {
        return places.size();
    }

    private void add(String key) {
        places.put(key, new Place(nodes));
        limit(places.keySet());
    }

    private static void limit(Set<String> keys) {
        if (keys.size() > MOST) {
            keys.remove(keys.iterator().next());
        }
    }
}
