package io.github.lockstarter.benchmarks.measure;

import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** All measured rounds of one client. */
public record Row(String id, String label, List<Measurement> rounds) {

    /** Median and range of the rounds; empty if not measured. */
    public Optional<Spread> spread(Metric metric) {
        double[] values = rounds.stream()
                .filter(round -> round.values().containsKey(metric))
                .mapToDouble(round -> round.values().get(metric))
                .sorted()
                .toArray();
        return values.length == 0 ? Optional.empty() : Optional.of(Spread.ofSorted(values));
    }

    /** The metrics in the order of columns. */
    public Set<Metric> metrics() {
        Set<Metric> metrics = new TreeSet<>();
        rounds.forEach(round -> metrics.addAll(round.values().keySet()));
        return metrics;
    }
}
