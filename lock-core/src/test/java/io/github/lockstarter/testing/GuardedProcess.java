package io.github.lockstarter.testing;

import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

/**
 * A child process that never outlives this JVM, also when the JVM dies by kill -9 and the child is stopped.
 *
 * <p>A shell takes the pipe that is the child's standard input, leaves a guard behind that blocks on it, and becomes
 * the child. Only this JVM has the other end of the pipe: when it is gone the guard reads the end of file and kills the
 * child.
 */
public final class GuardedProcess implements AutoCloseable {

    private static final String GUARD =
            "exec 3<&0; (read -r _; kill -9 $$) <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

    private final Process process;

    private GuardedProcess(Process process) {
        this.process = process;
    }

    /** Starts a process whose output, errors included, goes to a file. */
    public static GuardedProcess startLoggingTo(Path log, File directory, List<String> command) {
        return start(
                builder(command).directory(directory).redirectOutput(ProcessBuilder.Redirect.appendTo(log.toFile())));
    }

    /** Starts a process whose output, errors included, is read by the caller. */
    static GuardedProcess startPiped(List<String> command) {
        return start(builder(command));
    }

    private static ProcessBuilder builder(List<String> command) {
        List<String> guarded = new ArrayList<>(List.of("sh", "-c", GUARD, "guard"));
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

    Process process() {
        return process;
    }

    /** The operating system's number of the process. */
    public long pid() {
        return process.pid();
    }

    public boolean isAlive() {
        return process.isAlive();
    }

    /** Returns when each thread of the process stands still, which is later than the signal. */
    public void pause() {
        signal("STOP");
        await().atMost(Duration.ofSeconds(10)).pollDelay(Duration.ZERO).until(this::standsStill);
    }

    /** True where the operating system does not tell. */
    private boolean standsStill() {
        Path threads = Path.of("/proc", Long.toString(process.pid()), "task");
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

    public void resume() {
        signal("CONT");
    }

    public void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Asks the process to end, and makes it end when it does not. */
    public void stop() {
        process.destroy();
        if (!endsWithin(5)) {
            kill();
        }
    }

    /** The same by SIGINT, as an operator does by Ctrl-C. */
    public void interrupt() {
        signal("INT");
        if (!endsWithin(5)) {
            kill();
        }
    }

    /** Kills the process, also a stopped one. */
    @Override
    public void close() {
        kill();
    }

    private void signal(String name) {
        try {
            Process kill = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
            if (kill.waitFor() != 0) {
                throw new IllegalStateException("Could not send SIG" + name + " to process " + process.pid());
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not send SIG" + name + " to process " + process.pid(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending SIG" + name, e);
        }
    }

    private void awaitEnd() {
        if (!endsWithin(10)) {
            throw new IllegalStateException("Process " + process.pid() + " did not end within 10 s of kill -9");
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
