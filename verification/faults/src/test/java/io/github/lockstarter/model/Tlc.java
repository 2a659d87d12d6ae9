package io.github.lockstarter.model;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs TLC, the model checker of TLA+, in a JVM of its own. Only {@code -Pmodels} has it on the class path. */
public final class Tlc {

    private static final Pattern STATES = Pattern.compile("(\\d+) distinct states found, ");
    private static final Pattern STATE_OF_TRACE = Pattern.compile("^State \\d+: ", Pattern.MULTILINE);

    private Tlc() {}

    /**
     * The result of a check.
     *
     * @param states how many distinct states were found
     * @param steps of a shortest way to a violation; 0 if there is none
     */
    public record Result(int states, int steps) {}

    /**
     * Checks a module.
     *
     * @param module name of a TLA+ module, a resource of the class
     * @param beside the class
     * @param configuration lines of TLC's configuration file
     * @param workers threads of TLC; only a violation found by a single thread is certainly a shortest one
     */
    public static Result check(String module, Class<?> beside, List<String> configuration, int workers)
            throws IOException {
        try (ScratchDirectory files = ScratchDirectory.create("tlc-");
                InputStream source = Objects.requireNonNull(beside.getResourceAsStream(module + ".tla"))) {
            Files.copy(source, files.path().resolve(module + ".tla"));
            Files.write(files.path().resolve(module + ".cfg"), configuration);
            return result(output(files.path(), module, workers));
        }
    }

    /** A set of strings, as the configuration file and TLA+ write it. */
    public static String set(Collection<? extends Enum<?>> names) {
        return names.stream().map(name -> '"' + name.name() + '"').collect(Collectors.joining(", ", "{", "}"));
    }

    private static String output(Path directory, String module, int workers) throws IOException {
        List<String> options = List.of("-XX:+UseSerialGC", "-Xmx1g", "-Djava.io.tmpdir=" + directory);
        // -deadlock: a state without a next one is no error.
        List<String> command = ChildJvm.command(
                Jdks.own(),
                options,
                "tlc2.TLC",
                "-deadlock",
                "-metadir",
                directory.resolve("states").toString(),
                "-workers",
                String.valueOf(workers),
                directory.resolve(module).toString());
        try (GuardedProcess tlc = GuardedProcess.startPiped(directory, command)) {
            return new String(tlc.output().readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    private static Result result(String output) {
        boolean isViolated = output.contains(" is violated.");
        Matcher states = STATES.matcher(output);
        int found = 0;
        while (states.find()) {
            found = Integer.parseInt(states.group(1));
        }
        if (found == 0 || isViolated == output.contains("No error has been found")) {
            throw new AssertionError("TLC came to no result:\n" + output);
        }
        return new Result(
                found,
                isViolated ? (int) STATE_OF_TRACE.matcher(output).results().count() - 1 : 0);
    }
}
