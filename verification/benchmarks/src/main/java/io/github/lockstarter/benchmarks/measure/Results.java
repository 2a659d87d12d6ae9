package io.github.lockstarter.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import tools.jackson.databind.SerializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Content of {@code results.json}, which {@code Draw.java} turns into tables and charts. */
public record Results(List<WorkloadResult> workloads) {

    private static final JsonMapper JSON =
            JsonMapper.builder().enable(SerializationFeature.INDENT_OUTPUT).build();

    /**
     * Adds a result to the file, in place of an earlier one of the same workload.
     *
     * @param order ids of all workloads
     */
    public static void add(Path file, WorkloadResult result, List<String> order) throws IOException {
        Files.createDirectories(file.toAbsolutePath().getParent());
        List<WorkloadResult> all =
                new ArrayList<>(Files.exists(file) ? JSON.readValue(file, Results.class).workloads : List.of());
        all.removeIf(other -> other.workload().equals(result.workload()));
        all.add(result);
        all.sort(Comparator.comparingInt(each -> order.indexOf(each.workload())));
        JSON.writeValue(file, new Results(all));
    }
}
