package io.github.lockstarter.benchmarks.measure;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/** The machine of a run. */
public final class Environment {

    private Environment() {}

    /** Its properties by name, and those of the servers. */
    public static Map<String, String> with(Map<String, String> servers) {
        Map<String, String> environment = new LinkedHashMap<>();
        environment.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
        try (var lines = Files.lines(Path.of("/proc/cpuinfo"))) {
            lines.filter(line -> line.startsWith("model name"))
                    .findFirst()
                    .ifPresent(line -> environment.put(
                            "processor", line.substring(line.indexOf(':') + 1).strip()));
        } catch (IOException e) {
            // Not Linux.
        }
        environment.put("system", System.getProperty("os.name") + " " + System.getProperty("os.arch"));
        environment.put("JDK", System.getProperty("java.vm.name") + " " + Runtime.version());
        environment.putAll(servers);
        return environment;
    }
}
