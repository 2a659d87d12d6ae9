package io.github.lockstarter.observe.meter;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.function.ToDoubleFunction;

/**
 * All meters. Each has the tag {@code name}, except {@link #STORE_UP}, {@link #RECOVERING}, {@link #CACHE}, {@link
 * #LEADER}, {@link #LEADER_CHANGES} and {@link #DROPPED}; none has the lock's key.
 */
public enum LockMeter implements MeterDocumentation {
    /** Whether the store answers this instance: 1, or 0 from the first failed command until the next answer. */
    STORE_UP("distributed.lock.store.up", Meter.Type.GAUGE, "Whether the lock store answers this instance, 1 or 0"),

    /** Whether the store grants no free locks, because it may have lost some: 1 or 0. */
    RECOVERING("distributed.lock.recovering", Meter.Type.GAUGE, "Whether the lock store refuses free locks, 1 or 0"),

    /** Time from the call to its end, by {@code outcome}: acquired, contended, error, recovering, interrupted. */
    ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time from asking for a lock to the answer"),

    /** Time from the grant to the release or the loss. */
    HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time a lock was held"),

    /** Locks held at the moment; nested holds count once. */
    HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks that this instance holds"),

    /** Callers waiting at the moment for a lock of another owner. */
    WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Callers that wait for a lock"),

    /** Lost locks by {@code cause}. Alert on this meter. */
    LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost while they were held"),

    /** Renewals by {@code outcome}: renewed, failed, lost. */
    RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Renewals of leases"),

    /** Hand-overs within this instance. */
    HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER, "Locks passed on inside the instance"),

    /** Locks taken over from a crashed or disconnected instance. */
    TAKEOVERS("distributed.lock.takeovers", Meter.Type.COUNTER, "Locks taken over from a crashed instance"),

    /**
     * Held locks that came into doubt because the store did not answer or failed over. Each is then {@link #CONFIRMED},
     * {@link #LOST}, or released.
     */
    DOUBTS("distributed.lock.doubts", Meter.Type.COUNTER, "Locks that came into doubt while they were held"),

    /** Time from the doubt until the store's confirmation. */
    CONFIRMED("distributed.lock.confirmed", Meter.Type.TIMER, "Time until a lock in doubt was confirmed"),

    /** Calls of annotated methods that did not run the method, by {@code how}: skipped, fallback. */
    SKIPPED("distributed.lock.skipped", Meter.Type.COUNTER, "Calls that did not run their locked method"),

    /** Missing values of a {@code cache} by {@code outcome}: loaded, hit_after_wait, loaded_without_lock. */
    CACHE("distributed.lock.cache", Meter.Type.COUNTER, "Missing values of caches that load once over all instances"),

    /** Whether this instance holds the lock of a {@code role}, even in doubt: 1 or 0. */
    LEADER("distributed.lock.leader", Meter.Type.GAUGE, "Whether this instance leads the role, 1 or 0"),

    /** How often this instance started or stopped leading a {@code role}. */
    LEADER_CHANGES("distributed.lock.leader.changes", Meter.Type.COUNTER, "Begins and ends of leaderships"),

    /** Events dropped because a {@code listener} was too slow. */
    DROPPED("distributed.lock.events.dropped", Meter.Type.COUNTER, "Events that a lock listener missed");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    LockMeter(String meterName, Meter.Type type, String description) {
        this.meterName = meterName;
        this.type = type;
        this.description = description;
    }

    @Override
    public String getName() {
        return meterName;
    }

    @Override
    public Meter.Type getType() {
        return type;
    }

    String description() {
        return description;
    }

    Timer timer(MeterRegistry registry, Tags tags) {
        return Timer.builder(meterName).description(description).tags(tags).register(registry);
    }

    Counter counter(MeterRegistry registry, Tags tags) {
        return Counter.builder(meterName).description(description).tags(tags).register(registry);
    }

    /** Registers a counter with a weak reference to its object. */
    <T> void counter(MeterRegistry registry, Tags tags, T counting, ToDoubleFunction<T> count) {
        FunctionCounter.builder(meterName, counting, count)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Registers a gauge with a weak reference to its object. */
    <T> void gauge(MeterRegistry registry, Tags tags, T measured, ToDoubleFunction<T> value) {
        Gauge.builder(meterName, measured, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
