package io.github.lockstarter.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Options of the command line, {@code --name=value} each. */
public record Options(Map<String, String> values) {

    private static final Set<String> KNOWN = Set.of(
            "clients rounds warm-up round section locks windows threads jvms instances forks lease pause seed out"
                    .split(" "));

    public Options {
        for (String name : values.keySet()) {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException("No option --" + name + "; there are "
                        + KNOWN.stream().sorted().toList());
            }
        }
    }

    /**
     * Parses {@code --name=value} arguments.
     *
     * @throws IllegalArgumentException for other arguments and unknown names
     */
    public static Options parse(String... arguments) {
        Map<String, String> values = new TreeMap<>();
        for (String argument : arguments) {
            int equal = argument.indexOf('=');
            if (!argument.startsWith("--") || equal < 0) {
                throw new IllegalArgumentException("Not of the form --name=value: " + argument);
            }
            values.put(argument.substring(2, equal), argument.substring(equal + 1));
        }
        return new Options(values);
    }

    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /** The words of a comma-separated option; empty if not set. */
    public List<String> words(String name) {
        return value(name).stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .toList();
    }
}
