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
 * When, how and where something was measured.
 *
 * @param date day in UTC
 * @param command the command line
 * @param machine what the figures depend on, by name
 */
public record Provenance(String date, String command, Map<String, String> machine) {

    /**
     * Here and now.
     *
     * @param command the command line
     * @param servers description by name
     * @return the provenance
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
