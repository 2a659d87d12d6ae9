package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import io.github.lockstarter.benchmarks.measure.Metric.Better;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * A goal of the starter in a workload.
 *
 * @param claim the goal in words
 * @param bound the worst acceptable value
 * @param figure finds the value; empty if not measured
 */
record Goal(
        String workload, String claim, Better better, double bound, Function<WorkloadResult, OptionalDouble> figure) {

    private static final String SUBJECT = ClientKind.STARTER.id();

    /** A value of the starter. */
    static Goal of(String workload, Metric metric, double bound) {
        return new Goal(
                workload,
                metric.label() + " " + sign(metric) + " " + NumberText.of(bound),
                metric.better(),
                bound,
                outcome -> outcome.median(SUBJECT, metric));
    }

    /** The starter divided by another client. */
    static Goal ratio(String workload, Metric metric, ClientKind other, double bound) {
        return new Goal(
                workload,
                metric.label() + " " + sign(metric) + " " + NumberText.of(bound) + " × " + other.label(),
                metric.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, metric), outcome.median(other.id(), metric)));
    }

    /** The starter divided by the best peer. */
    static Goal ratioToBestPeer(String workload, Metric metric, double bound) {
        return new Goal(
                workload,
                metric.label() + " " + sign(metric) + " " + NumberText.of(bound) + " × best peer",
                metric.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, metric), outcome.bestPeer(metric)));
    }

    /** One value of the starter divided by another. */
    static Goal share(String workload, Metric part, Metric whole, double bound) {
        return new Goal(
                workload,
                part.label() + " " + sign(part) + " " + NumberText.of(bound) + " × " + whole.label(),
                part.better(),
                bound,
                outcome -> quotient(outcome.median(SUBJECT, part), outcome.median(SUBJECT, whole)));
    }

    /** The difference between two rows. */
    static Goal difference(String workload, Metric metric, String row, String base, double bound) {
        return new Goal(
                workload,
                metric.label() + " of " + row + " over " + base + " " + sign(metric) + " " + NumberText.of(bound),
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
