package io.github.lockstarter.observe;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.TimeGauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/**
 * All meters of locks, without the lock's key. Each has the tag {@code name}, except {@link #STORE_UP}, {@link
 * #RECOVERING} and {@link #DROPPED}.
 */
enum LockMeter implements MeterDocumentation {
    /** 0 from the first failed command until the next answer. */
    STORE_UP("distributed.lock.store.up", Meter.Type.GAUGE, "Whether the lock store answers this instance, 1 or 0"),

    RECOVERING("distributed.lock.recovering", Meter.Type.GAUGE, "Whether the lock store refuses free locks, 1 or 0"),

    /** By {@code outcome}: acquired, contended, error, recovering, interrupted. */
    ACQUIRE("distributed.lock.acquire", Meter.Type.TIMER, "Time from asking for a lock to the answer"),

    HOLD("distributed.lock.hold", Meter.Type.TIMER, "Time a lock was held"),

    /** Nested holds, and those of readers of a lock, count once. */
    HELD("distributed.lock.held", Meter.Type.GAUGE, "Locks that this instance holds"),

    WAITING("distributed.lock.waiting", Meter.Type.GAUGE, "Callers that wait for a lock"),

    HELD_LONGEST("distributed.lock.held.longest", Meter.Type.GAUGE, "Age of the oldest hold of this instance"),

    WAITING_LONGEST("distributed.lock.waiting.longest", Meter.Type.GAUGE, "Time that the first of the callers waits"),

    /** Without requests for the longest possible hold; a hold counts again when its age has doubled. */
    LONG_HOLDS("distributed.lock.held.long", Meter.Type.COUNTER, "Warnings of holds longer than warn-after"),

    /** Without those that are released when their threads have ended. */
    ABANDONED("distributed.lock.abandoned", Meter.Type.COUNTER, "Held locks that no code could release"),

    /** By {@code cause}. */
    LOST("distributed.lock.lost", Meter.Type.COUNTER, "Locks lost while they were held"),

    /** By {@code outcome}: renewed, failed, lost. */
    RENEWALS("distributed.lock.renewals", Meter.Type.COUNTER, "Renewals of leases"),

    HANDOVERS("distributed.lock.handovers", Meter.Type.COUNTER, "Locks passed on inside the instance"),

    TAKEOVERS("distributed.lock.takeovers", Meter.Type.COUNTER, "Locks taken over from a crashed instance"),

    /** Each lock in doubt is then {@link #CONFIRMED}, {@link #LOST}, or released. */
    DOUBTS("distributed.lock.doubts", Meter.Type.COUNTER, "Locks that came into doubt while they were held"),

    CONFIRMED("distributed.lock.confirmed", Meter.Type.TIMER, "Time until a lock in doubt was confirmed"),

    /** By {@code how}: skipped, fallback. */
    SKIPPED("distributed.lock.skipped", Meter.Type.COUNTER, "Calls that did not run their locked method"),

    /** By {@code listener}. */
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

    /** The registry's reference to the object is weak. */
    <T> void counter(MeterRegistry registry, Tags tags, T counting, ToDoubleFunction<T> count) {
        FunctionCounter.builder(meterName, counting, count)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** The registry's reference to the object is weak. */
    <T> void timeGauge(MeterRegistry registry, Tags tags, T measured, ToDoubleFunction<T> seconds) {
        TimeGauge.builder(meterName, measured, TimeUnit.SECONDS, seconds)
                .description(description)
                .tags(tags)
                .register(registry);
    }

    /** The registry's reference to the object is weak. */
    <T> void gauge(MeterRegistry registry, Tags tags, T measured, ToDoubleFunction<T> value) {
        Gauge.builder(meterName, measured, value)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
