package io.github.lockstarter.simulation.redis;

import io.github.lockstarter.simulation.redis.Effect.Change;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Keys and values without a clock: the data of a server or its append-only file. It may follow the writes of a master
 * with a lag; each write is applied as a whole, as a transaction is.
 */
final class Keyspace {

    private final SortedMap<String, Stored> stored = new TreeMap<>();
    private final Map<String, Long> changes = new HashMap<>();
    private final Deque<List<Effect>> behind = new ArrayDeque<>();
    private int lag;

    @Nullable
    Stored get(String key) {
        return stored.get(key);
    }

    /** All keys, in order, including expired ones. */
    Map<String, Stored> copy() {
        return new TreeMap<>(stored);
    }

    /** Replaces all data, and drops the pending writes of the master. */
    void replace(Map<String, Stored> others) {
        behind.clear();
        stored.keySet().forEach(key -> changes.merge(key, 1L, Long::sum));
        others.keySet().forEach(key -> changes.merge(key, 1L, Long::sum));
        stored.clear();
        stored.putAll(others);
    }

    void apply(Effect effect) {
        if (effect instanceof Change change) {
            changes.merge(change.key(), 1L, Long::sum);
            if (change.stored() == null) {
                stored.remove(change.key());
            } else {
                stored.put(change.key(), change.stored());
            }
        }
    }

    /** How often a key has changed. */
    long changes(String key) {
        return changes.getOrDefault(key, 0L);
    }

    /** How many writes it stays behind from now on, at most. */
    void lag(int writes) {
        lag = writes;
    }

    /** A write of the master. */
    void receive(List<Effect> write) {
        behind.add(write);
    }

    /** The next write that it is too far behind with; null if there is none. */
    @Nullable
    List<Effect> next() {
        return behind.size() > lag ? behind.remove() : null;
    }

    /** How many writes it is behind. */
    int behind() {
        return behind.size();
    }
}
