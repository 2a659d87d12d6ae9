package io.github.lockstarter.benchmarks.measure;

import java.util.EnumMap;
import java.util.Map;

/**
 * What came out of one round. Immutable.
 *
 * @param values by metric
 */
public record Measurement(Map<Metric, Double> values) {

    /** Nothing yet. */
    public static final Measurement EMPTY = new Measurement(Map.of());

    /**
     * Adds a value.
     *
     * @param metric what was measured
     * @param value in the metric's unit
     * @return the larger measurement
     */
    public Measurement with(Metric metric, double value) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.put(metric, value);
        return new Measurement(more);
    }

    /**
     * Adds the values of another measurement.
     *
     * @param other of the same round
     * @return the larger measurement
     */
    public Measurement with(Measurement other) {
        Map<Metric, Double> more = new EnumMap<>(Metric.class);
        more.putAll(values);
        more.putAll(other.values);
        return new Measurement(more);
    }
}
