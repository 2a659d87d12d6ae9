package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Metric.Better;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * What the starter has to reach in a workload.
 *
 * @param workload id of the workload
 * @param claim the target in words
 * @param better which way is good
 * @param bound the worst value that is good enough
 * @param figure finds the value; empty if it was not measured
 */
record Target(String workload, String claim, Better better, double bound, Function<Outcome, OptionalDouble> figure) {

    private static final String SUBJECT = ClientKind.STARTER.id();

    /** A figure of the starter itself. */
    static Target of(String workload, Metric metric, double bound) {
        return new Target(
                workload,
                metric.label() + " " + sign(metric) + " " + Figures.of(bound),
                metric.better(),
                bound,
                outcome -> outcome.median(SUBJECT, metric));
    }

    /** Starter over another client. */
    static Target ratio(String workload, Metric metric, ClientKind other, double bound) {
        return new Target(
                workload,
                metric.label() + " " + sign(metric) + " " + Figures.of(bound) + " × " + other.label(),
                metric.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, metric), outcome.median(other.id(), metric)));
    }

    /** Starter over the best of the peers. */
    static Target ratioToBestPeer(String workload, Metric metric, double bound) {
        return new Target(
                workload,
                metric.label() + " " + sign(metric) + " " + Figures.of(bound) + " × best peer",
                metric.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, metric), outcome.bestPeer(metric)));
    }

    /** One figure of the starter over another one of its own. */
    static Target share(String workload, Metric part, Metric whole, double bound) {
        return new Target(
                workload,
                part.label() + " " + sign(part) + " " + Figures.of(bound) + " × " + whole.label(),
                part.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, part), outcome.median(SUBJECT, whole)));
    }

    /** How much more one row has than another. */
    static Target difference(String workload, Metric metric, String row, String base, double bound) {
        return new Target(
                workload,
                metric.label() + " of " + row + " over " + base + " " + sign(metric) + " " + Figures.of(bound),
                metric.better(),
                bound,
                outcome -> difference(outcome.median(row, metric), outcome.median(base, metric)));
    }

    boolean isMetBy(double value) {
        return better == Better.HIGHER ? value >= bound : value <= bound;
    }

    private static String sign(Metric metric) {
        return metric.better() == Better.HIGHER ? "≥" : "≤";
    }

    private static OptionalDouble quotient(OptionalDouble one, OptionalDouble other) {
        return one.isPresent() && other.isPresent() && other.getAsDouble() != 0
                ? OptionalDouble.of(one.getAsDouble() / other.getAsDouble())
                : OptionalDouble.empty();
    }

    private static OptionalDouble difference(OptionalDouble one, OptionalDouble other) {
        return one.isPresent() && other.isPresent()
                ? OptionalDouble.of(one.getAsDouble() - other.getAsDouble())
                : OptionalDouble.empty();
    }
}
