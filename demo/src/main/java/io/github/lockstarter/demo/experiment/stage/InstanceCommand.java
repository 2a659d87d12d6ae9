package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.DemoApp;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/** How another program of this application is started: from the same jar, or the same class path, as this one. */
public final class InstanceCommand {

    private static final String BOOT_LAUNCHER = "org.springframework.boot.loader.launch.JarLauncher";

    private InstanceCommand() {}

    /**
     * The command that starts an instance.
     *
     * @param directory for its temporary files
     * @param properties what is set
     */
    static List<String> of(Path directory, List<String> properties) {
        return of(
                directory,
                List.of("@" + options(directory)),
                DemoApp.INSTANCE,
                properties.stream().map(property -> "--" + property).toList());
    }

    /**
     * The command that starts a program.
     *
     * @param directory for its temporary files
     * @param options further ones of the JVM
     * @param program first argument of the application
     * @param arguments further ones
     * @return the command and its arguments
     */
    public static List<String> of(Path directory, List<String> options, String program, List<String> arguments) {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-Xss512k",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                // Its file in the temporary directory would outlive a kill -9.
                "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + directory));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), isPackaged() ? BOOT_LAUNCHER : DemoApp.class.getName(), program));
        command.addAll(arguments);
        return command;
    }

    /** Further options, which may differ from start to start. */
    static Path options(Path directory) {
        return directory.resolve("java-options");
    }

    private static String classPath() {
        return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    private static boolean isPackaged() {
        return DemoApp.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation()
                .toString()
                .contains("BOOT-INF");
    }
}
