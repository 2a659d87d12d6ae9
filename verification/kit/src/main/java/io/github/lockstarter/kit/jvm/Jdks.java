package io.github.lockstarter.kit.jvm;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.stream.Stream;

/** Finds JDKs in {@code JAVA_HOME*} and the usual directories. */
public final class Jdks {

    private static final List<String> USUAL_PLACES = List.of(
            "/usr/lib/jvm",
            "/opt",
            "/opt/java",
            "/Library/Java/JavaVirtualMachines",
            System.getProperty("user.home") + "/.sdkman/candidates/java",
            System.getProperty("user.home") + "/.jdks");

    private Jdks() {}

    /** The home of the running JDK. */
    public static Path own() {
        return Path.of(System.getProperty("java.home"));
    }

    /** The home of the oldest JDK with at least this feature version; prefers the running one. */
    public static Optional<Path> atLeast(int feature) {
        if (Runtime.version().feature() >= feature) {
            return Optional.of(own());
        }
        return homes().filter(home -> featureOf(home) >= feature).min(Comparator.comparingInt(Jdks::featureOf));
    }

    public static Path newest() {
        return homes().max(Comparator.comparingInt(Jdks::featureOf))
                .filter(home -> featureOf(home) > Runtime.version().feature())
                .orElse(own());
    }

    private static Stream<Path> homes() {
        Stream<Path> named = System.getenv().entrySet().stream()
                .filter(variable -> variable.getKey().startsWith("JAVA_HOME"))
                .map(Map.Entry::getValue)
                .map(Path::of);
        Stream<Path> usual = USUAL_PLACES.stream().map(Path::of).flatMap(Jdks::children);
        return Stream.concat(named, usual).flatMap(home -> Stream.of(home, home.resolve("Contents/Home")));
    }

    private static Stream<Path> children(Path directory) {
        try (Stream<Path> children = Files.isDirectory(directory) ? Files.list(directory) : Stream.empty()) {
            return children.toList().stream();
        } catch (IOException e) {
            return Stream.empty(); // no permission to read it
        }
    }

    /** The feature version of a JDK, such as 21; 0 if the directory contains none. */
    public static int featureOf(Path home) {
        Path release = home.resolve("release");
        if (!Files.isExecutable(home.resolve("bin").resolve("java")) || !Files.isReadable(release)) {
            return 0;
        }
        Properties properties = new Properties();
        try (InputStream file = Files.newInputStream(release)) {
            properties.load(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + release, e);
        }
        String version = properties.getProperty("JAVA_VERSION", "0").replace("\"", "");
        return Runtime.Version.parse(version).feature();
    }
}
