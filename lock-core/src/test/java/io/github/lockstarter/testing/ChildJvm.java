package io.github.lockstarter.testing;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/**
 * Another JVM with the class path of this one and temporary files of its own. Never outlives it. Both of its outputs
 * are read as lines, so it never blocks on them. Thread-safe.
 */
public final class ChildJvm implements AutoCloseable {

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
     * Starts a JVM.
     *
     * @param main class with a {@code main} method
     * @param arguments its arguments
     * @return the running JVM; close it
     */
    public static ChildJvm start(Class<?> main, String... arguments) {
        return start(Path.of(System.getProperty("java.home")), List.of(), main, arguments);
    }

    /**
     * Starts a JVM of one's own choice.
     *
     * @param home where its JDK is
     * @param options for the JVM, after those that all have
     * @param main class with a {@code main} method
     * @param arguments its arguments
     * @return the running JVM; close it
     */
    public static ChildJvm start(Path home, List<String> options, Class<?> main, String... arguments) {
        ScratchDirectory files = ScratchDirectory.create("lock-starter-child-");
        List<String> command = new ArrayList<>(List.of(
                home.resolve("bin").resolve("java").toString(),
                "-XX:TieredStopAtLevel=1",
                "-XX:+UseSerialGC",
                "-Xmx256m",
                "-Dio.lettuce.core.epoll=false",
                "-Djava.io.tmpdir=" + files.path()));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(List.of(arguments));
        return new ChildJvm(GuardedProcess.startPiped(command), files, main.getSimpleName());
    }

    /**
     * What it has printed so far.
     *
     * @return a copy
     */
    public List<String> lines() {
        return List.copyOf(lines);
    }

    /**
     * Waits for a line.
     *
     * @param wanted which one
     * @param limit how long to wait
     * @return the first such line
     * @throws AssertionError when it does not come, with all that was printed instead
     */
    public String awaitLine(Predicate<String> wanted, Duration limit) {
        long start = System.nanoTime();
        while (true) {
            boolean over = !reader.isAlive() || System.nanoTime() - start > limit.toNanos();
            for (String line : lines) {
                if (wanted.test(line)) {
                    return line;
                }
            }
            if (over) {
                throw new AssertionError("The child JVM did not print the line within " + limit + ". It printed:\n"
                        + String.join("\n", lines));
            }
            Patience.pause();
        }
    }

    /**
     * Waits for the end of the process and of its output.
     *
     * @param limit how long to wait
     * @return its exit code
     * @throws AssertionError when it does not end, with all that was printed
     */
    public int awaitExit(Duration limit) {
        try {
            if (!process.process().waitFor(limit.toMillis(), TimeUnit.MILLISECONDS)) {
                throw new AssertionError(
                        "The child JVM still runs after " + limit + ". It printed:\n" + String.join("\n", lines));
            }
            reader.join(limit.toMillis());
            return process.process().exitValue();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while waiting for a child JVM", e);
        }
    }

    /**
     * The operating system's number of the process.
     *
     * @return its pid
     */
    public long pid() {
        return process.process().pid();
    }

    /**
     * Whether it runs, paused or not.
     *
     * @return false once it has ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Ends it at once (SIGKILL): no shutdown hook, no finally. */
    public void kill() {
        process.kill();
    }

    /** Asks it to end (SIGTERM), and ends it when it does not. */
    public void stop() {
        process.stop();
    }

    /** Stops it in its tracks (SIGSTOP). */
    public void pause() {
        process.pause();
    }

    /** Lets it go on (SIGCONT). */
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
                new BufferedReader(new InputStreamReader(process.process().getInputStream(), StandardCharsets.UTF_8))) {
            output.lines().forEach(lines::add);
        } catch (UncheckedIOException | IOException e) {
            lines.add("(output ended: " + e.getMessage() + ")");
        }
    }
}
