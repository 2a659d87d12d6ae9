package io.github.lockstarter.benchmarks.report;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/**
 * Outcomes of several runs, each workload once: the raw figures, as they are kept in {@value #FILE}.
 *
 * @param outcomes by workload
 */
public record Results(List<Outcome> outcomes) {

    static final String FILE = "results.json";

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * Reads what a directory has.
     *
     * @param directory of a report
     * @return its results; none if there is no report yet
     */
    static Results read(Path directory) {
        Path file = directory.resolve(FILE);
        return Files.exists(file) ? JSON.readValue(file, Results.class) : new Results(List.of());
    }

    void write(Path directory) {
        JSON.writeValue(directory.resolve(FILE), this);
    }

    /** The same with a new outcome instead of an older one of its workload, in the given order of workloads. */
    Results with(Outcome outcome, List<String> order) {
        List<Outcome> all = new ArrayList<>(outcomes);
        all.removeIf(other -> other.id().equals(outcome.id()));
        all.add(outcome);
        all.sort(Comparator.comparingInt(each -> order.indexOf(each.id())));
        return new Results(List.copyOf(all));
    }

    Optional<Outcome> of(String id) {
        return outcomes.stream().filter(outcome -> outcome.id().equals(id)).findFirst();
    }
}
