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
 * A child process that never outlives this JVM, even if the JVM is killed while the child is paused.
 *
 * <p>A shell inherits the pipe from this JVM as standard input, starts a guard that reads it, and becomes the child.
 * When the JVM ends, the guard reads the end of the pipe, interrupts the child, and kills it if it still runs after two
 * seconds. Until then it copies input to the child through a named pipe, if there is one. The guard opens that for
 * reading and writing: opening it only for writing would block forever if the child was already dead.
 */
public final class GuardedProcess implements AutoCloseable {

    /** Ctrl-C and {@code kill} may signal the process group: the guard ignores it, and the child leaves the group. */
    private static final String GUARD = "exec 3<&0; in=$1; shift;"
            + " (trap '' INT HUP TERM; [ -p \"$in\" ] && cat 1<>\"$in\" || read -r _; kill -INT $$; left=20;"
            + " while [ $left -gt 0 ] && kill -0 $$; do sleep 0.1; left=$((left - 1)); done; kill -9 $$)"
            + " <&3 >/dev/null 2>&1 &"
            + " command -v setsid >/dev/null && set -- setsid \"$@\"; exec \"$@\" <\"$in\" 3<&-";

    private static final Path NO_INPUT = Path.of("/dev/null");
    private static final long SECONDS_TO_STOP = 5;
    private static final long SECONDS_TO_DIE = 10;

    private final Process process;

    private GuardedProcess(Process process) {
        this.process = process;
    }

    /**
     * Starts a process without input.
     *
     * @param log receives its output and errors
     */
    public static GuardedProcess startLoggingTo(Path log, Path directory, List<String> command) {
        return start(builder(NO_INPUT, command)
                .directory(directory.toFile())
                .redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
    }

    /**
     * Starts a process whose output and errors the caller reads and to which it can send lines.
     *
     * @param directory for the named pipe
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

    /** Output and errors, unless they go to a file. */
    public InputStream output() {
        return process.getInputStream();
    }

    /** Sends a line to its standard input; ignored after its end. */
    public synchronized void send(String line) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((line + '\n').getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException e) {
            // The guard ended with the process.
        }
    }

    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Sends SIGSTOP. Returns when all threads have stopped, which takes longer than sending the signal. */
    public void pause() {
        signal("STOP");
        if (!Polling.until(this::standsStill)) {
            throw new IllegalStateException("Process " + pid() + " does not stand still after SIGSTOP");
        }
    }

    /** True without {@code /proc}. */
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

    /** The letter after the name in parentheses. */
    private static char stateOf(Path thread) {
        try {
            String line = Files.readString(thread.resolve("stat"));
            return line.charAt(line.lastIndexOf(')') + 2);
        } catch (IOException e) {
            return 'T'; // it has ended
        }
    }

    public void resume() {
        signal("CONT");
    }

    public void kill() {
        process.destroyForcibly();
        if (!endsWithin(SECONDS_TO_DIE)) {
            throw new IllegalStateException("Process " + pid() + " did not end within 10 s of kill -9");
        }
    }

    /** Sends SIGTERM, then SIGKILL if needed. */
    public void stop() {
        process.destroy();
        if (!endsWithin(SECONDS_TO_STOP)) {
            kill();
        }
    }

    /** Sends SIGINT, as Ctrl-C does, then SIGKILL if needed. */
    public void interrupt() {
        signal("INT");
        if (!endsWithin(SECONDS_TO_STOP)) {
            kill();
        }
    }

    /**
     * Waits for its end. Returns the exit code.
     *
     * @throws IllegalStateException if it still runs
     */
    public int awaitExit(Duration limit) {
        if (!endsWithin(limit.toSeconds())) {
            throw new IllegalStateException("Process " + pid() + " still runs after " + limit);
        }
        return process.exitValue();
    }

    /** Kills it, even if paused. */
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
