package io.github.lockstarter.redis.batch;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * Counts the calls that were handed to the connection by themselves and have no result yet, by the hash of their key:
 * one key may be taken for another.
 *
 * <p>What any other thread hands over is a task of the connection's event loop, and what the event loop itself hands
 * over is written at once, ahead of these tasks. So a call that the event loop may send, because it was collected,
 * could overtake a direct one that its thread has made before. Thread-safe; nothing blocks.
 */
final class DirectCalls {

    /** So many that calls for different keys rarely share one. */
    private static final int COUNTS = 1024;

    private final AtomicIntegerArray counts = new AtomicIntegerArray(COUNTS);

    /** Whether a call for the key may be yet to be written: false only if there is none that this thread has added. */
    boolean mayHave(String key) {
        return counts.get(indexOf(key)) != 0;
    }

    /** Adds a call until it has its result. */
    void add(String key, CompletionStage<?> result) {
        int index = indexOf(key);
        counts.incrementAndGet(index);
        result.whenComplete((any, failure) -> counts.decrementAndGet(index));
    }

    private static int indexOf(String key) {
        int hash = key.hashCode();
        return (hash ^ hash >>> 16) & COUNTS - 1;
    }
}
