package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A child process that never outlives this JVM, even if the JVM is killed while the child is stopped.
 *
 * <p>A shell receives the pipe from this JVM as its standard input, leaves a guard behind that reads from it, and
 * becomes the child. When the JVM ends, the guard reads the end of the pipe and kills the child. Until then the guard
 * passes on whatever this JVM sends, through a named pipe, if the child has one. It opens that for both directions: to
 * open it for writing would wait for a reader, forever if the child was killed before.
 */
public final class GuardedProcess implements AutoCloseable {

    /** Ctrl-C reaches all processes of the terminal's group: the guard ignores it, and the child leaves the group. */
    private static final String GUARD = "exec 3<&0; in=$1; shift;"
            + " (trap '' INT HUP; [ -p \"$in\" ] && cat 1<>\"$in\" || read -r _; kill -9 $$) <&3 >/dev/null 2>&1 &"
            + " command -v setsid >/dev/null && set -- setsid \"$@\"; exec \"$@\" <\"$in\" 3<&-";

    private static final Path NO_INPUT = Path.of("/dev/null");
    private static final long SECONDS_TO_STOP = 5;
    private static final long SECONDS_TO_DIE = 10;

    private final Process process;

    private GuardedProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a process without input, in a directory.
     *
     * @param log file to which its output goes, errors included
     * @param directory its working directory
     * @param command program and arguments
     * @return the running process
     */
    public static GuardedProcess startLoggingTo(Path log, Path directory, List<String> command) {
        return start(builder(NO_INPUT, command)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
    }

    /**
     * Starts a process whose output, errors included, the caller reads, and to which the caller can send lines.
     *
     * @param directory where a named pipe can be
     * @param command program and arguments
     * @return the running process
     */
    public static GuardedProcess startPiped(Path directory, List<String> command) {
        Path input = directory.resolve("input");
        run("mkfifo", input.toString());
        return start(builder(input, command));
    }

    private static ProcessBuilder builder(Path input, List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard", input.toString()));
        guarded.addAll(command);
        return new ProcessBuilder(guarded).redirectErrorStream(true);
    }

    private static GuardedProcess start(ProcessBuilder builder) {
        try {
            return new GuardedProcess(builder.start());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start " + builder.command(), e);
        }
    }

    /** Its output and errors, unless they go to a file. */
    public InputStream output() {
        return process.getInputStream();
    }

    /** Sends a line to its standard input; one that has ended ignores it. */
    public synchronized void send(String line) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((line + '\n').getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // The guard has ended with the process.
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

    /** Stops it (SIGSTOP). Returns when each of its threads stands still, which is later than the signal. */
    public void pause() {
        signal("STOP");
        if (!Patience.until(this::standsStill)) {
            throw new IllegalStateException("Process " + pid() + " does not stand still after SIGSTOP");
        }
    }

    /** True where the operating system does not tell. */
    private boolean standsStill() {
        Path threads = Path.of("/proc", Long.toString(pid()), "task");
        if (!Files.isDirectory(threads)) {
            return true;
        }
        try (Stream<Path> all = Files.list(threads)) {
            return all.allMatch(thread -> stateOf(thread) == 'T');
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The letter behind the name, which is in parentheses. */
    private static char stateOf(Path thread) {
        try {
            String line = Files.readString(thread.resolve("stat"));
            return line.charAt(line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'T'; // it has ended
        }
    }

    /** Lets a paused process continue (SIGCONT). */
    public void resume() {
        signal("CONT");
    }

    /** Ends it at once (SIGKILL), and waits for its end. */
    public void kill() {
        process.destroyForcibly();
        if (!endsWithin(SECONDS_TO_DIE)) {
            throw new IllegalStateException("Process " + pid() + " did not end within 10 s of kill -9");
        }
    }

    /** Asks it to end (SIGTERM), and kills it when it does not. */
    public void stop() {
        process.destroy();
        if (!endsWithin(SECONDS_TO_STOP)) {
            kill();
        }
    }

    /** Asks it to end by SIGINT, as Ctrl-C does, and kills it when it does not. */
    public void interrupt() {
        signal("INT");
        if (!endsWithin(SECONDS_TO_STOP)) {
            kill();
        }
    }

    /**
     * Waits for its end.
     *
     * @param limit the longest time to wait
     * @return its exit code
     * @throws IllegalStateException when it still runs
     */
    public int awaitExit(Duration limit) {
        if (!endsWithin(limit.toSeconds())) {
            throw new IllegalStateException("Process " + pid() + " still runs after " + limit);
        }
        return process.exitValue();
    }

    /** Kills it, even if it is paused. */
    @Override
    public void close() {
        kill();
    }

    private void signal(String name) {
        run("kill", "-" + name, Long.toString(pid()));
    }

    private static void run(String... command) {
        try {
            Process program = new ProcessBuilder(command).start();
            if (program.waitFor() != 0) {
                throw new IllegalStateException(
                        "Failed with status " + program.exitValue() + ": " + String.join(" ", command));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not run " + String.join(" ", command), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while running " + String.join(" ", command), e);
        }
    }

    private boolean endsWithin(long seconds) {
        boolean interrupted = Thread.interrupted();
        try {
            return process.waitFor(seconds, TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            interrupted = true;
            return !process.isAlive();
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
