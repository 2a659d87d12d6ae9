package io.github.lockstarter.kit.jvm;

import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.Polling;
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
 * A child JVM with the class path of this one and its own temporary files; never outlives this JVM. A thread reads its
 * output, so it never blocks on writing. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

    /** Options for a fast start and little memory. */
    public static final List<String> SMALL = List.of(
            "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmn24m", "-Xmx256m", "-Dio.lettuce.core.epoll=false");

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

    /** Starts a small JVM; close it. */
    public static ChildJvm start(Class<?> main, String... arguments) {
        return start(Jdks.own(), SMALL, main, arguments);
    }

    /** Starts a JVM with the given JDK and options; close it. */
    public static ChildJvm start(Path home, List<String> options, Class<?> main, String... arguments) {
        ScratchDirectory files = ScratchDirectory.create("lock-kit-jvm-");
        List<String> own = new ArrayList<>(options);
        own.add("-Djava.io.tmpdir=" + files.path());
        List<String> command = command(home, own, main.getName(), arguments);
        return new ChildJvm(GuardedProcess.startPiped(files.path(), command), files, main.getSimpleName());
    }

    /** Returns the command line of a JVM with the class path of this one. */
    public static List<String> command(Path home, List<String> options, String main, String... arguments) {
        List<String> command =
                new ArrayList<>(List.of(home.resolve("bin").resolve("java").toString()));
        command.addAll(options);
        command.addAll(List.of("-cp", classPath(), main));
        command.addAll(List.of(arguments));
        return command;
    }

    /** Options by which a JVM keeps its temporary files, and the unpacked servers, where this one does. */
    public static List<String> directories() {
        return Stream.of("java.io.tmpdir", "lock.test.servers")
                .filter(name -> System.getProperty(name) != null)
                .map(name -> "-D" + name + "=" + System.getProperty(name))
                .toList();
    }

    /** Absolute, since the child has another working directory and {@code java -jar} has relative entries. */
    private static String classPath() {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator, -1))
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /** Returns the output so far. */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    public void send(String line) {
        process.send(line);
    }

    /**
     * Returns the first matching line of the output.
     *
     * @throws AssertionError with the output, if there is none within the limit
     */
    public String awaitLine(Predicate<String> wanted, Duration limit) {
        // After the reader has ended, searches all lines once more.
        Polling.until(() -> find(wanted).isPresent() || !reader.isAlive(), limit);
        return find(wanted)
                .orElseThrow(() -> new AssertionError("The child JVM did not print the line within " + limit
                        + ". It printed:\n" + String.join("\n", lines)));
    }

    private Optional<String> find(Predicate<String> wanted) {
        return lines.stream().filter(wanted).findFirst();
    }

    /**
     * Waits for the end of the process and its output. Returns the exit code.
     *
     * @throws AssertionError with the output, if it does not end
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

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGKILL: no shutdown hooks run. */
    public void kill() {
        process.kill();
    }

    /** Sends SIGTERM, then SIGKILL if needed. */
    public void stop() {
        process.stop();
    }

    /** Sends SIGSTOP, and returns when all threads have stopped. */
    public void pause() {
        process.pause();
    }

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
