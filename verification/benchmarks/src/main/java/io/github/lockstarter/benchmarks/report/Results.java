package io.github.lockstarter.benchmarks.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Raw outcomes in {@value #FILE}, one per workload. */
public record Results(List<WorkloadResult> outcomes) {

    static final String FILE = "results.json";

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /** Reads the results in a directory; empty if there are none. */
    static Results read(Path directory) {
        Path file = directory.resolve(FILE);
        return Files.exists(file) ? JSON.readValue(file, Results.class) : new Results(List.of());
    }

    void write(Path directory) {
        JSON.writeValue(directory.resolve(FILE), this);
    }

    /** Adds or replaces an outcome, keeping the order of workloads. */
    Results with(WorkloadResult outcome, List<String> order) {
        List<WorkloadResult> all = new ArrayList<>(outcomes);
        all.removeIf(other -> other.id().equals(outcome.id()));
        all.add(outcome);
        all.sort(Comparator.comparingInt(each -> order.indexOf(each.id())));
        return new Results(List.copyOf(all));
    }

    Optional<WorkloadResult> of(String id) {
        return outcomes.stream().filter(outcome -> outcome.id().equals(id)).findFirst();
    }
}
