package io.github.lockstarter.observe;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongSupplier;

/** Counts the waits per key that were given up in the present minute. Thread-safe. */
final class CrowdedKeys {

    /** Waits for a key in a minute that make it worth a warning. */
    static final int MANY = 10;

    /** A caller that polls, such as a standby leader, gives up sooner, again and again. */
    static final Duration LONG = Duration.ofSeconds(1);

    /** More than one busy application has; further keys of the minute are not counted. */
    private static final int MAX_KEYS = 10_000;

    private static final long MINUTE_NANOS = Duration.ofMinutes(1).toNanos();

    private final LongSupplier monotonicNanos;
    private final Map<String, Integer> waits = new ConcurrentHashMap<>();
    private final AtomicLong since;

    CrowdedKeys(LongSupplier monotonicNanos) {
        this.monotonicNanos = monotonicNanos;
        this.since = new AtomicLong(monotonicNanos.getAsLong());
    }

    /** True once a minute for a key. */
    boolean becomesCrowded(String key, Duration waited) {
        if (waited.compareTo(LONG) < 0) {
            return false;
        }
        long last = since.get();
        long now = monotonicNanos.getAsLong();
        if (now - last >= MINUTE_NANOS && since.compareAndSet(last, now)) {
            waits.clear();
        }
        return (waits.size() < MAX_KEYS || waits.containsKey(key)) && waits.merge(key, 1, Integer::sum) == MANY;
    }
}
