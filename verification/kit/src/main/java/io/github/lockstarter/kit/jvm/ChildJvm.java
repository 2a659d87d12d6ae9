package io.github.lockstarter.kit.jvm;

import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.Patience;
import io.github.lockstarter.kit.process.ScratchDirectory;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Another JVM with the class path of this one and temporary files of its own. Never outlives this JVM. A thread reads
 * both of its outputs as lines, so it never blocks on them. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

    /** Options of a JVM that starts fast and takes little memory. */
    public static final List<String> SMALL =
            List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx256m", "-Dio.lettuce.core.epoll=false");

    private final GuardedProcess process;
    private final ScratchDirectory files;
    private final List<String> lines = new CopyOnWriteArrayList<>();
    private final Thread reader;

    private ChildJvm(GuardedProcess process, ScratchDirectory files, String name) {
        this.process = process;
        this.files = files;
        this.reader = new Thread(this::read, "output-of-" + name);
        reader.setDaemon(true);
        reader.start();
    }

    /**
     * Starts a small JVM.
     *
     * @param main class with a {@code main} method
     * @param arguments its arguments
     * @return the running JVM; close it
     */
    public static ChildJvm start(Class<?> main, String... arguments) {
        return start(Jdks.own(), SMALL, main, arguments);
    }

    /**
     * Starts a JVM of another JDK, or with other options.
     *
     * @param home directory of its JDK
     * @param options of the JVM
     * @param main class with a {@code main} method
     * @param arguments its arguments
     * @return the running JVM; close it
     */
    public static ChildJvm start(Path home, List<String> options, Class<?> main, String... arguments) {
        ScratchDirectory files = ScratchDirectory.create("lock-kit-jvm-");
        List<String> own = new ArrayList<>(options);
        own.add("-Djava.io.tmpdir=" + files.path());
        List<String> command = command(home, own, main.getName(), arguments);
        return new ChildJvm(GuardedProcess.startPiped(files.path(), command), files, main.getSimpleName());
    }

    /**
     * The command line of a JVM with the class path of this one.
     *
     * @param home directory of its JDK
     * @param options of the JVM
     * @param main name of a class with a {@code main} method
     * @param arguments its arguments
     * @return program and arguments
     */
    public static List<String> command(Path home, List<String> options, String main, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin").resolve("java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Without relative entries, such as of {@code java -jar}: the other JVM has another working directory. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** A copy of the lines that it has printed so far. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /** Sends a line to its standard input. */
    public void send(String line) {
        process.send(line);
    }

    /**
     * Waits for a line.
     *
     * @param wanted matches the line
     * @param limit the longest time to wait
     * @return the first such line
     * @throws AssertionError when there is none in time, with all lines that were printed
     */
    public String awaitLine(Predicate<String> wanted, Duration limit) {
        // A reader that has ended has seen all lines: they are looked through once more then.
        Patience.until(() -> find(wanted).isPresent() || !reader.isAlive(), limit);
        return find(wanted)
                .orElseThrow(() -> new AssertionError("The child JVM did not print the line within " + limit
                        + ". It printed:\n" + String.join("\n", lines)));
    }

    private Optional<String> find(Predicate<String> wanted) {
        return lines.stream().filter(wanted).findFirst();
    }

    /**
     * Waits for the end of the process and of its output.
     *
     * @param limit the longest time to wait
     * @return its exit code
     * @throws AssertionError when it does not end, with all lines that were printed
     */
    public int awaitExit(Duration limit) {
        try {
            int code = process.awaitExit(limit);
            reader.join(limit.toMillis());
            return code;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a child JVM", e);
        } catch (IllegalStateException e) {
            throw new AssertionError("The child JVM still runs. It printed:\n" + String.join("\n", lines), e);
        }
    }

    /** The operating system's number of the process. */
    public long pid() {
        return process.pid();
    }

    /** Whether it runs, paused or not. */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it at once (SIGKILL): no shutdown hook, no finally. */
    public void kill() {
        process.kill();
    }

    /** Asks it to end (SIGTERM), and kills it when it does not. */
    public void stop() {
        process.stop();
    }

    /** Stops it (SIGSTOP); returns when each of its threads stands still. */
    public void pause() {
        process.pause();
    }

    /** Lets it continue (SIGCONT). */
    public void resume() {
        process.resume();
    }

    @Override
    public void close() {
        process.close();
        files.close();
    }

    private void read() {
        try (BufferedReader output =
                new BufferedReader(new InputStreamReader(process.output(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
        } catch (UncheckedIOException | IOException e) {
            lines.add("(output ended: " + e.getMessage() + ")");
        }
    }
}
