package io.github.lockstarter.benchmarks.measure;

import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;

/** Values of one round. Immutable. */
public record Measurement(Map<Metric, Double> values) {

    public static final Measurement EMPTY = new Measurement(Map.of());

    /** Adds a value, in the metric's unit. */
    public Measurement with(Metric metric, double value) {
        return with(new Measurement(Map.of(metric, value)));
    }

    /** Adds the values of another measurement of the same round. */
    public Measurement with(Measurement other) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.putAll(other.values);
        return new Measurement(more);
    }

    Optional<Double> value(Metric metric) {
        return Optional.ofNullable(values.get(metric));
    }
}
