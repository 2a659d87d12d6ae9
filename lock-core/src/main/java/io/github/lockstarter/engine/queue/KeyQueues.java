package io.github.lockstarter.engine.queue;

import io.github.lockstarter.LockAdmin.Waiter;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The {@link KeyQueue}s of all keys that callers of this JVM wait for. A queue leaves the map when it is retired.
 * {@link #closed} says whether locks are handed over.
 */
public final class KeyQueues {

    private final ConcurrentHashMap<String, KeyQueue> queues = new ConcurrentHashMap<>();
    private final KeyQueue.Collaborators collaborators;
    private volatile boolean closed;

    public KeyQueues(KeyQueue.Collaborators collaborators) {
        this.collaborators = collaborators;
    }

    public QueueActions join(Acquisition acquisition) {
        return applyCreating(acquisition.key, queue -> queue.join(acquisition));
    }

    /** Asks the key's queue, which is made if there is none; a retired one answers null, and is replaced. */
    QueueActions applyCreating(String key, Function<KeyQueue, @Nullable QueueActions> question) {
        while (true) {
            KeyQueue queue = queueOf(key);
            QueueActions next = queue.locked(question);
            if (next == null || queue.isRetired()) {
                queues.remove(key, queue);
            }
            if (next != null) {
                return next;
            }
        }
    }

    private KeyQueue queueOf(String key) {
        KeyQueue known = queues.get(key);
        if (known != null) {
            return known;
        }
        KeyQueue made = new KeyQueue(key, collaborators);
        KeyQueue raced = queues.putIfAbsent(key, made);
        return raced == null ? made : raced;
    }

    /** Asks the key's queue, if there is one, and drops it when that was the last of it. */
    public QueueActions apply(String key, Function<KeyQueue, QueueActions> question) {
        @Nullable KeyQueue queue = queues.get(key);
        if (queue == null) {
            return QueueActions.NOTHING;
        }
        QueueActions next = queue.locked(question);
        if (queue.isRetired()) {
            queues.remove(key, queue);
        }
        return next;
    }

    public boolean has(String key) {
        return queues.containsKey(key);
    }

    public List<String> keys() {
        return new ArrayList<>(queues.keySet());
    }

    /** The keys of locks at whose owners the heartbeats look, by the instance that has the lock. */
    public Map<String, List<String>> watchedByOwner() {
        Map<String, List<String>> watched = new HashMap<>();
        queues.forEach((key, queue) -> queue.locked(KeyQueue::watched)
                .ifPresent(owner ->
                        watched.computeIfAbsent(owner, any -> new ArrayList<>()).add(key)));
        return watched;
    }

    /** The waiters of all keys. */
    public List<Waiter> waiters(long now) {
        List<Waiter> all = new ArrayList<>();
        queues.values().forEach(queue -> all.addAll(queue.locked(each -> each.waiters(now))));
        return all;
    }

    /** From now on no lock is handed over, until {@link #open}. */
    public void close() {
        closed = true;
    }

    /** Locks are handed over again. */
    public void open() {
        closed = false;
    }

    public boolean isClosed() {
        return closed;
    }
}
