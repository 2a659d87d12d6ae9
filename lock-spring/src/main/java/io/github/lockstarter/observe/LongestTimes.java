package io.github.lockstarter.observe;

import io.github.lockstarter.HeldLock;
import io.github.lockstarter.LockAdmin;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Ages of the oldest hold and the longest wait of each name, in seconds. One look at the locks serves all gauges of a
 * scrape. Thread-safe.
 */
final class LongestTimes {

    private static final long VALID_NANOS = Duration.ofSeconds(1).toNanos();

    private record TimesSample(long at, Map<String, Duration> held, Map<String, Duration> waiting) {}

    private final Supplier<? extends Collection<LockAdmin>> stores;
    private final UnaryOperator<String> meterNames;
    private final LongSupplier monotonicNanos;

    /** Immutable, so a racy write is harmless. */
    private volatile TimesSample latest;

    /** @param meterNames name of the meters of a lock's name */
    LongestTimes(
            Supplier<? extends Collection<LockAdmin>> stores,
            UnaryOperator<String> meterNames,
            LongSupplier monotonicNanos) {
        this.stores = stores;
        this.meterNames = meterNames;
        this.monotonicNanos = monotonicNanos;
        this.latest = new TimesSample(monotonicNanos.getAsLong() - VALID_NANOS, Map.of(), Map.of());
    }

    double held(String name) {
        return seconds(look().held, name);
    }

    double waiting(String name) {
        return seconds(look().waiting, name);
    }

    private static double seconds(Map<String, Duration> longest, String name) {
        return longest.getOrDefault(name, Duration.ZERO).toNanos() / 1e9;
    }

    private TimesSample look() {
        long now = monotonicNanos.getAsLong();
        if (now - latest.at >= VALID_NANOS) {
            TimesSample look = new TimesSample(now, new HashMap<>(), new HashMap<>());
            for (LockAdmin store : stores.get()) {
                for (HeldLock held : store.heldLocks().snapshot()) {
                    look.held.merge(meterNames.apply(held.name()), held.heldFor(), LongestTimes::longer);
                }
                for (LockAdmin.WaitingCaller waiter : store.waiters()) {
                    look.waiting.merge(meterNames.apply(waiter.name()), waiter.waitedFor(), LongestTimes::longer);
                }
            }
            latest = look;
        }
        return latest;
    }

    private static Duration longer(Duration one, Duration other) {
        return one.compareTo(other) > 0 ? one : other;
    }
}
