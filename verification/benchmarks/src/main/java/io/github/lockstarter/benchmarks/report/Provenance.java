package io.github.lockstarter.benchmarks.report;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * When, how and where a workload was measured.
 *
 * @param date in UTC
 * @param machine properties by name
 */
public record Provenance(String date, String command, Map<String, String> machine) {

    /**
     * The provenance of a measurement on this machine, now.
     *
     * @param servers description by name
     */
    public static Provenance now(String command, Map<String, String> servers) {
        Map<String, String> machine = new LinkedHashMap<>();
        machine.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        processor().ifPresent(model -> machine.put("processor", model));
        machine.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        machine.put("JDK", System.getProperty("java.vm.name") + " " + Runtime.version());
        machine.putAll(servers);
        return new Provenance(LocalDate.now(ZoneOffset.UTC).toString(), command, machine);
    }

    private static Optional<String> processor() {
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            return lines.filter(line -> line.startsWith("model name"))
                    .map(line -> line.substring(line.indexOf(':') + 1).strip())
                    .findFirst();
        } catch (IOException e) {
            return Optional.empty(); // not Linux
        }
    }
}
