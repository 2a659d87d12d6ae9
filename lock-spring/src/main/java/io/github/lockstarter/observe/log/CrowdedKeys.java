package io.github.lockstarter.observe.log;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Counts the callers per key that gave up waiting in the present minute. Thread-safe. */
final class CrowdedKeys {

    /** Callers of a key in a minute that make it worth a warning. */
    static final int MANY = 10;

    /** More than one busy application has; further keys of the minute are not counted. */
    private static final int MAX_KEYS = 10_000;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier monotonicNanos;
    private final Map<String, Integer> callers = new ConcurrentHashMap<>();
    private final AtomicLong since;

    CrowdedKeys(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
        this.since = new AtomicLong(monotonicNanos.getAsLong());
    }

    /** True once a minute for a key. */
    boolean becomesCrowded(String key) {
        long last = since.get();
        long now = monotonicNanos.getAsLong();
        if (now - last >= MINUTE_NANOS && since.compareAndSet(last, now)) {
            callers.clear();
        }
        return (callers.size() < MAX_KEYS || callers.containsKey(key)) && callers.merge(key, 1, Integer::sum) == MANY;
    }
}
