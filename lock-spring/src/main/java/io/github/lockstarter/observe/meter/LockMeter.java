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
 * Every meter there is. Each has the tag {@code name}, except {@link #STORE_UP}, {@link #RECOVERING}, {@link
 * #CACHE}, {@link #LEADER}, {@link #LEADER_CHANGES} and {@link #DROPPED}; none has the lock's key.
 */
public enum LockMeter implements MeterDocumentation {
    /** Whether the store answers this instance: 1, or 0 from the first failed command until the next answer. */
    STORE_UP("distributed.lock.store.up", Meter.Type.GAUGE, "Whether the lock store answers this instance, 1 or 0"),

    /** Whether the store refuses free locks, since it may have forgotten some: 1 or 0. */
    RECOVERING("distributed.lock.recovering", Meter.Type.GAUGE, "Whether the lock store refuses free locks, 1 or 0"),

    /** Time from the call to its end, by {@code outcome}: acquired, contended, error, recovering, interrupted. */
    ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time from asking for a lock to the answer"),

    /** Time from the grant to the release or the loss. */
    HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time a lock was held"),

    /** Locks held at the moment; nested holds count once. */
    HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks that this instance holds"),

    /** Callers that wait at the moment for a lock that another owner holds. */
    WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Callers that wait for a lock"),

    /** Locks lost while they were held, by {@code cause}. Alert on this one. */
    LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost while they were held"),

    /** Renewals by {@code outcome}: renewed, failed, lost. */
    RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Renewals of leases"),

    /** Locks passed on inside this instance, without asking the backend. */
    HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER, "Locks passed on inside the instance"),

    /** Locks taken over from an instance that had crashed, or was cut off from the store. */
    TAKEOVERS("distributed.lock.takeovers", Meter.Type.COUNTER, "Locks taken over from a crashed instance"),

    /**
     * Locks that came into doubt while they were held, since the store did not answer, or failed over. Each is {@link
     * #CONFIRMED}, {@link #LOST}, or released.
     */
    DOUBTS("distributed.lock.doubts", Meter.Type.COUNTER, "Locks that came into doubt while they were held"),

    /** Time from the doubt about a lock until the store confirmed it. */
    CONFIRMED("distributed.lock.confirmed", Meter.Type.TIMER, "Time until a lock in doubt was confirmed"),

    /** Calls of annotated methods that ended without running the method, by {@code how}: skipped, fallback. */
    SKIPPED("distributed.lock.skipped", Meter.Type.COUNTER, "Calls that did not run their locked method"),

    /**
     * Values of a {@code cache} that were missing, by {@code outcome}: loaded, hit_after_wait,
     * loaded_without_lock.
     */
    CACHE("distributed.lock.cache", Meter.Type.COUNTER, "Missing values of caches that load once over all instances"),

    /** Whether this instance holds the lock of a {@code role}, a doubt included: 1 or 0. */
    LEADER("distributed.lock.leader", Meter.Type.GAUGE, "Whether this instance leads the role, 1 or 0"),

    /** How often this instance began or ceased to lead a {@code role}. */
    LEADER_CHANGES("distributed.lock.leader.changes", Meter.Type.COUNTER, "Begins and ends of leaderships"),

    /** Events that a {@code listener} missed, since it was too far behind. */
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

    /** Counts what an object has counted, for as long as the object lives. */
    <T> void counter(MeterRegistry registry, Tags tags, T counting, ToDoubleFunction<T> count) {
        FunctionCounter.builder(meterName, counting, count)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** Shows a value of an object, for as long as the object lives. */
    <T> void gauge(MeterRegistry registry, Tags tags, T measured, ToDoubleFunction<T> value) {
        Gauge.builder(meterName, measured, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
