package io.github.lockstarter.faults;

import io.github.lockstarter.kit.check.Span;
import io.github.lockstarter.kit.check.Violation;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The results of sessions as text with tables: faults by topology with nearby violations, sessions by seed, violations.
 */
final class LabReport {

    /** A violation is put down to the faults that were not over for longer than this. */
    private static final long NEAR_NANOS = Duration.ofSeconds(3).toNanos();

    private static final int MOST_TOLD = 20;
    private static final int INVARIANTS = 11;

    private final List<LabResult> results;
    private final String command;

    /** @param command repeats the sessions */
    LabReport(List<LabResult> results, String command) {
        this.results = List.copyOf(results);
        this.command = command;
    }

    /** The same run with these results. */
    LabReport of(List<LabResult> sessions) {
        return new LabReport(sessions, command);
    }

    /**
     * Writes the report and its pictures.
     *
     * @param name of the file, without extension
     */
    void write(Path directory, String name) {
        try {
            Files.createDirectories(directory);
            StringBuilder page = new StringBuilder();
            appendHead(page);
            appendInvariants(page);
            appendFaults(page);
            appendSessions(page);
            appendEndings(page);
            appendViolations(page, directory, name);
            Files.writeString(directory.resolve(name + ".txt"), page);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write the report", e);
        }
    }

    private void appendHead(StringBuilder page) {
        long faults =
                results.stream().mapToLong(result -> result.faults().size()).sum();
        long seconds =
                results.stream().mapToLong(result -> result.took().toSeconds()).sum();
        long violations =
                results.stream().mapToLong(result -> result.violations().size()).sum();
        page.append("# Fault run\n\n`").append(command).append("`\n\n| | |\n|---|---|\n");
        row(
                page,
                "client",
                distinct(results.stream()
                        .map(result -> result.setup().client().name())
                        .toList()));
        row(page, "sessions, seconds", results.size() + ", " + seconds);
        row(page, "faults", faults);
        row(
                page,
                "acquisitions",
                results.stream().mapToLong(LabResult::acquisitions).sum());
        row(page, "violations", violations);
        row(
                page,
                "fenced increments lost",
                results.stream().mapToLong(result -> result.count("I3")).sum());
        row(
                page,
                "increments lost without fencing (control)",
                results.stream().mapToLong(LabResult::lostUnfenced).sum());
        row(page, "locks of killed holders that others wanted and took over, ms from the death", takeovers());
        page.append('\n');
    }

    private String takeovers() {
        List<Long> millis = results.stream()
                .flatMap(result -> result.takeovers().stream())
                .sorted()
                .toList();
        return millis.isEmpty()
                ? "0"
                : millis.size() + "; p50, p99, max: " + quantile(millis, 50) + ", " + quantile(millis, 99) + ", "
                        + quantile(millis, 100);
    }

    private static long quantile(List<Long> sorted, int percent) {
        return sorted.get(Math.max(0, (sorted.size() * percent + 99) / 100 - 1));
    }

    private List<String> topologies() {
        return List.copyOf(
                new TreeSet<>(results.stream().map(LabResult::topology).toList()));
    }

    private void appendColumns(StringBuilder page, String title, String first) {
        page.append("## ").append(title).append("\n\n| ").append(first).append(" |");
        topologies().forEach(topology -> page.append(' ').append(topology).append(" |"));
        page.append("\n|---|").append("---|".repeat(topologies().size())).append('\n');
    }

    private void appendInvariants(StringBuilder page) {
        appendColumns(page, "Violations by invariant", "");
        Set<String> invariants = new LinkedHashSet<>(
                IntStream.rangeClosed(1, INVARIANTS).mapToObj(i -> "I" + i).toList());
        results.forEach(result -> result.violations().forEach(violation -> invariants.add(violation.invariant())));
        for (String invariant : invariants) {
            page.append("| ").append(invariant).append(" |");
            topologies().forEach(topology -> page.append(' ')
                    .append(results.stream()
                            .filter(result -> result.topology().equals(topology))
                            .mapToLong(result -> result.count(invariant))
                            .sum())
                    .append(" |"));
            page.append('\n');
        }
        page.append('\n');
    }

    private void appendFaults(StringBuilder page) {
        List<String> topologies = topologies();
        appendColumns(page, "Faults: how often × / violations within 3 s after", "fault");
        Map<String, Map<String, Long>> count = new TreeMap<>();
        Map<String, Map<String, Long>> near = new TreeMap<>();
        for (LabResult result : results) {
            for (Span fault : result.faults()) {
                long found = result.violations().stream()
                        .filter(violation -> fault.touches(violation.at() - NEAR_NANOS, violation.at()))
                        .count();
                count.computeIfAbsent(fault.disturbance(), what -> new TreeMap<>())
                        .merge(result.topology(), 1L, Long::sum);
                near.computeIfAbsent(fault.disturbance(), what -> new TreeMap<>())
                        .merge(result.topology(), found, Long::sum);
            }
        }
        count.forEach((fault, byTopology) -> {
            page.append("| ").append(fault).append(" |");
            topologies.forEach(topology -> page.append(' ')
                    .append(
                            byTopology.containsKey(topology)
                                    ? byTopology.get(topology) + " × / "
                                            + near.get(fault).get(topology)
                                    : "–")
                    .append(" |"));
            page.append('\n');
        });
        page.append('\n');
    }

    private void appendSessions(StringBuilder page) {
        page.append("## Sessions\n\n| topology | seed | seconds | faults | acquisitions | violations |\n");
        page.append("|---|---|---|---|---|---|\n");
        results.forEach(result -> page.append("| ")
                .append(result.topology())
                .append(" | ")
                .append(result.seed())
                .append(" | ")
                .append(result.took().toSeconds())
                .append(" | ")
                .append(result.faults().size())
                .append(" | ")
                .append(result.acquisitions())
                .append(" | ")
                .append(byInvariant(result.violations()))
                .append(" |\n"));
        page.append('\n');
    }

    private void appendEndings(StringBuilder page) {
        Map<String, Long> sums = new TreeMap<>();
        results.forEach(result -> result.endings().forEach((how, count) -> sums.merge(how, count, Long::sum)));
        page.append("## How holds were got and ended, and requests refused\n\n| | |\n|---|---|\n");
        sums.forEach((how, count) -> row(page, how.strip(), count));
        page.append('\n');
    }

    private void appendViolations(StringBuilder page, Path directory, String name) throws IOException {
        List<String> lines = new ArrayList<>();
        int pictures = 0;
        for (LabResult result : results) {
            for (Violation violation :
                    result.violations().stream().limit(MOST_TOLD).toList()) {
                String line = "- " + violation.invariant() + " `" + violation.key() + "` " + violation.description()
                        + " (" + result.topology() + ", seed " + result.seed() + "). Near: " + near(result, violation);
                if (result.shown().containsKey(violation) && !violation.key().isEmpty()) {
                    String picture = name + "-" + ++pictures + ".svg";
                    Files.writeString(
                            directory.resolve(picture),
                            Timeline.of(violation, result.shown().get(violation), result.faults()));
                    line += " [timeline](" + picture + ")";
                }
                lines.add(line);
            }
        }
        page.append("## Violations, the first " + MOST_TOLD + " of each session\n\n")
                .append(lines.isEmpty() ? "None." : String.join("\n", lines))
                .append('\n');
    }

    private static String near(LabResult result, Violation violation) {
        return result.faults().stream()
                .filter(fault -> fault.touches(violation.at() - NEAR_NANOS, violation.at()))
                .sorted(Comparator.comparingLong(Span::from))
                .map(Span::disturbance)
                .collect(Collectors.joining(", "));
    }

    private static String byInvariant(List<Violation> violations) {
        return violations.isEmpty()
                ? "0"
                : new TreeMap<>(violations.stream()
                                .collect(Collectors.groupingBy(Violation::invariant, Collectors.counting())))
                        .entrySet().stream()
                                .map(entry -> entry.getKey() + ": " + entry.getValue())
                                .collect(Collectors.joining(", "));
    }

    private static String distinct(List<String> words) {
        return String.join(", ", new TreeSet<>(words));
    }

    private static void row(StringBuilder page, String name, Object value) {
        page.append("| ").append(name).append(" | ").append(value).append(" |\n");
    }
}
