package io.github.lockstarter.benchmarks.workload;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Measurement;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Row;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import org.HdrHistogram.Histogram;

/** Times from the kill of a holder to the next grant, by client. Used by one thread. */
final class CrashTimes {

    private static final int SIGNIFICANT_DIGITS = 3;

    private final Map<ClientKind, Histogram> nanos = new EnumMap<>(ClientKind.class);

    /**
     * Adds a crash.
     *
     * @throws IllegalStateException if the grant precedes the kill: exclusion failed
     */
    void add(ClientKind kind, long killed, long granted) {
        if (granted < killed) {
            throw new IllegalStateException("Granted while its holder was alive: " + kind.id());
        }
        nanos.computeIfAbsent(kind, absent -> new Histogram(SIGNIFICANT_DIGITS)).recordValue(granted - killed);
    }

    List<Row> rows() {
        return nanos.entrySet().stream()
                .map(each -> new Row(each.getKey().id(), each.getKey().label(), List.of(measurement(each.getValue()))))
                .toList();
    }

    private static Measurement measurement(Histogram nanos) {
        return Measurement.EMPTY
                .with(Metric.P50_SECONDS, nanos.getValueAtPercentile(50) / 1e9)
                .with(Metric.P99_SECONDS, nanos.getValueAtPercentile(99) / 1e9)
                .with(Metric.MAX_SECONDS, nanos.getMaxValue() / 1e9);
    }
}
