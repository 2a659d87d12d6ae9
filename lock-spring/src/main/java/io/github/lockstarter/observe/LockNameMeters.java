package io.github.lockstarter.observe;

import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Refusal;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.SkippedCallListener.Outcome;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The meters of one lock name, registered together: an event that never happened reads zero instead of missing.
 * Thread-safe; {@link #held} and {@link #waiting} live as long as this object.
 */
final class LockNameMeters {

    final Timer acquired;
    final Timer hold;
    final AtomicInteger held = new AtomicInteger();
    final AtomicInteger waiting = new AtomicInteger();
    final Counter longHolds;
    final Counter abandoned;
    final Counter doubts;
    final Timer confirmed;
    private final Map<Refusal, Timer> refused = new EnumMap<>(Refusal.class);
    private final Map<Enum<?>, Counter> counters = new HashMap<>();

    LockNameMeters(MeterRegistry registry, String name, LongestTimes longest) {
        Tags tags = Tags.of("name", name);
        acquired = LockMeter.ACQUIRE.timer(registry, tags.and("outcome", "acquired"));
        for (Refusal refusal : Refusal.values()) {
            refused.put(refusal, LockMeter.ACQUIRE.timer(registry, tags.and("outcome", lowerCase(refusal))));
        }
        hold = LockMeter.HOLD.timer(registry, tags);
        LockMeter.HELD.gauge(registry, tags, held, AtomicInteger::get);
        LockMeter.WAITING.gauge(registry, tags, waiting, AtomicInteger::get);
        LockMeter.HELD_LONGEST.timeGauge(registry, tags, longest, times -> times.held(name));
        LockMeter.WAITING_LONGEST.timeGauge(registry, tags, longest, times -> times.waiting(name));
        longHolds = LockMeter.LONG_HOLDS.counter(registry, tags);
        abandoned = LockMeter.ABANDONED.counter(registry, tags);
        for (LossCause cause : LossCause.values()) {
            counters.put(cause, LockMeter.LOST.counter(registry, tags.and("cause", lowerCase(cause))));
        }
        for (RenewalOutcome outcome : RenewalOutcome.values()) {
            counters.put(outcome, LockMeter.RENEWALS.counter(registry, tags.and("outcome", lowerCase(outcome))));
        }
        counters.put(Path.HANDED_OVER, LockMeter.HANDOVERS.counter(registry, tags));
        counters.put(Path.TAKEN_OVER, LockMeter.TAKEOVERS.counter(registry, tags));
        doubts = LockMeter.DOUBTS.counter(registry, tags);
        confirmed = LockMeter.CONFIRMED.timer(registry, tags);
        counters.put(Outcome.EMPTY_RESULT, LockMeter.SKIPPED.counter(registry, tags.and("how", "skipped")));
        counters.put(Outcome.FALLBACK, LockMeter.SKIPPED.counter(registry, tags.and("how", "fallback")));
    }

    Timer refused(Refusal refusal) {
        return Objects.requireNonNull(refused.get(refusal), "every refusal has a timer");
    }

    /** By loss cause, outcome or path. */
    void count(Enum<?> event) {
        Counter counter = counters.get(event);
        if (counter != null) {
            counter.increment();
        }
    }

    private static String lowerCase(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }
}
