package io.github.lockstarter.engine;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The highest fencing token this client ever saw, per key, in constant memory: keys that share a slot share the greater
 * token, which only makes the next token of the other one larger. Keeps tokens growing when the backend lost its counter.
 */
final class FencingFloors {

    private static final int SLOTS = 4096;

    private final AtomicLongArray highest = new AtomicLongArray(SLOTS);

    long floor(String key) {
        return highest.get(slot(key));
    }

    void saw(String key, long fencingToken) {
        highest.accumulateAndGet(slot(key), fencingToken, Math::max);
    }

    private static int slot(String key) {
        int hash = key.hashCode();
        return (hash ^ (hash >>> 16)) & (SLOTS - 1);
    }
}
