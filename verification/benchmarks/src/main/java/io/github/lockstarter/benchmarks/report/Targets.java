package io.github.lockstarter.benchmarks.report;

import io.github.lockstarter.benchmarks.client.ClientKind;
import io.github.lockstarter.benchmarks.measure.Metric;
import java.util.List;
import java.util.OptionalDouble;
import java.util.stream.Collectors;

/** Goals of the starter, and whether it reached them. */
final class Targets {

    static final List<Goal> ALL = List.of(
            Goal.ratio("uncontended-1", Metric.OPERATIONS, ClientKind.FLOOR, 0.95),
            Goal.ratio("uncontended-1", Metric.OPERATIONS, ClientKind.REDISSON, 1.1),
            Goal.ratio("uncontended-1", Metric.SERVER_CPU, ClientKind.FLOOR, 2),
            Goal.ratio("uncontended-1", Metric.SERVER_CPU, ClientKind.REDISSON, 1),
            Goal.ratio("uncontended-32", Metric.OPERATIONS, ClientKind.FLOOR, 1),
            Goal.ratio("uncontended-32", Metric.SERVER_CPU, ClientKind.FLOOR, 1.2),
            Goal.ratio("uncontended-32", Metric.OPERATIONS, ClientKind.REDISSON, 3),
            Goal.ratio("uncontended-128", Metric.OPERATIONS, ClientKind.FLOOR, 1.2),
            Goal.ratioToBestPeer("one-key-empty", Metric.OPERATIONS, 20),
            Goal.of("one-key-empty", Metric.READS, 0.3),
            Goal.of("one-key-empty", Metric.FAIRNESS_OF_THREADS, 0.9),
            Goal.ratio("one-key-section", Metric.OPERATIONS, ClientKind.REENTRANT_LOCK, 0.9),
            Goal.ratioToBestPeer("three-jvms", Metric.OPERATIONS, 2),
            Goal.ratio("three-jvms", Metric.OPERATIONS, ClientKind.REDISSON, 4),
            Goal.of("three-jvms", Metric.FAIRNESS_OF_INSTANCES, 0.9),
            Goal.ratioToBestPeer("three-jvms", Metric.P99, 1),
            Goal.ratio("wake-up", Metric.P50, ClientKind.REDISSON, 1),
            Goal.ratio("wake-up", Metric.P99, ClientKind.REDISSON, 0.7),
            Goal.of("crash", Metric.P99_SECONDS, 2),
            Goal.share("pause", Metric.KEPT, Metric.PAUSES, 1),
            Goal.of("twenty-instances", Metric.TRIES, 2.5),
            Goal.ratio("held-20000", Metric.CPU, ClientKind.REDISSON, 0.5),
            Goal.of("server-memory", Metric.BYTES_PER_RELEASED, 10),
            Goal.of("held-100000-long", Metric.LOST_LOCKS, 0),
            Goal.of("held-100000-long", Metric.MORE_THREADS, 0),
            Goal.of("held-100000-long", Metric.HEAP, 500),
            Goal.difference("in-jvm", Metric.NANOS, "annotation", "template", 3000),
            Goal.difference("in-jvm", Metric.ALLOCATED, "annotation", "template", 1024));

    private Targets() {}

    /** The measured targets as a table. */
    static String table(Results results) {
        String lines = ALL.stream()
                .flatMap(target -> results.of(target.workload()).stream().map(outcome -> line(target, outcome)))
                .collect(Collectors.joining());
        return lines.isEmpty() ? "" : "| workload | target | measured | |\n|---|---|---|---|\n" + lines;
    }

    private static String line(Goal target, WorkloadResult outcome) {
        OptionalDouble value = target.figure().apply(outcome);
        if (value.isEmpty()) {
            return "";
        }
        String verdict = target.isMetBy(value.getAsDouble()) ? "met" : "**missed**";
        return "| " + outcome.title() + " | " + target.claim() + " | " + NumberText.of(value.getAsDouble()) + " | "
                + verdict + " |\n";
    }
}
