package io.github.lockstarter.autoconfigure.recipes;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.docs.MeterDocumentation;
import java.util.concurrent.atomic.AtomicInteger;

/** The meters of leaders and caches. */
enum RecipeMeter implements MeterDocumentation {
    /** By {@code role}; a leader in doubt counts. */
    LEADER("distributed.lock.leader", Meter.Type.GAUGE, "Whether this instance leads the role, 1 or 0"),

    /** By {@code role}. */
    LEADER_CHANGES("distributed.lock.leader.changes", Meter.Type.COUNTER, "Begins and ends of leaderships"),

    /** By {@code cache} and {@code outcome}: loaded, hit_after_wait, loaded_without_lock. */
    CACHE("distributed.lock.cache", Meter.Type.COUNTER, "Missing values of caches that load once over all instances");

    private final String meterName;
    private final Meter.Type type;
    private final String description;

    RecipeMeter(String meterName, Meter.Type type, String description) {
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

    Counter counter(MeterRegistry registry, Tags tags) {
        return Counter.builder(meterName).description(description).tags(tags).register(registry);
    }

    /** The registry's reference to the value is weak. */
    void gauge(MeterRegistry registry, Tags tags, AtomicInteger value) {
        Gauge.builder(meterName, value, AtomicInteger::get)
                .description(description)
                .tags(tags)
                .register(registry);
    }
}
