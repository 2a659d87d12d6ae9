package io.github.lockstarter.benchmarks;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What the command line sets, {@code --name=value} each.
 *
 * @param values by name
 */
public record Options(Map<String, String> values) {

    private static final Set<String> KNOWN = Set.of(
            "clients",
            "rounds",
            "warm-up",
            "round",
            "section",
            "locks",
            "windows",
            "hold",
            "threads",
            "jvms",
            "instances",
            "forks",
            "lease",
            "pause",
            "seed",
            "out");

    /**
     * Checks the names.
     *
     * @param values by name
     * @throws IllegalArgumentException when there is no such option
     */
    public Options {
        for (String name : values.keySet()) {
            if (!KNOWN.contains(name)) {
                throw new IllegalArgumentException("No option --" + name + "; there are "
                        + KNOWN.stream().sorted().toList());
            }
        }
    }

    /**
     * Reads arguments.
     *
     * @param arguments of the form {@code --name=value}
     * @return the options
     * @throws IllegalArgumentException when one is not of that form
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

    /**
     * One option.
     *
     * @param name without hyphens
     * @return its value, if set
     */
    public Optional<String> value(String name) {
        return Optional.ofNullable(values.get(name));
    }

    /**
     * An option that is a list.
     *
     * @param name without hyphens
     * @return the words between commas; none if not set
     */
    public List<String> words(String name) {
        return value(name).stream()
                .flatMap(value -> Arrays.stream(value.split(",", -1)))
                .toList();
    }
}
