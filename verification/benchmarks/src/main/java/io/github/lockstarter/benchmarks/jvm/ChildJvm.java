package io.github.lockstarter.benchmarks.jvm;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;

/**
 * Another JVM with the class path of this one, which does what it is asked over its standard input. It ends when that
 * is closed, hence never outlives this JVM. Used by one thread.
 */
public final class ChildJvm implements AutoCloseable {

    private static final long PATIENCE_SECONDS = 10;

    private final Process process;
    private final PrintWriter commands;
    private final BufferedReader answers;

    private ChildJvm(Process process) {
        this.process = process;
        this.commands = new PrintWriter(process.getOutputStream(), true, StandardCharsets.UTF_8);
        this.answers = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /**
     * Starts a JVM.
     *
     * @param task what it does
     * @param options of the JVM, such as {@code -Xmx1g}
     * @return the running JVM; close it
     */
    public static ChildJvm start(Class<? extends ChildTask> task, String... options) {
        List<String> command = new ArrayList<>();
        command.add(System.getProperty("java.home") + File.separator + "bin" + File.separator + "java");
        command.addAll(List.of(options));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("lock."))
                .forEach(name -> command.add("-D" + name + "=" + System.getProperty(name)));
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), ChildMain.class.getName(), task.getName()));
        try {
            return new ChildJvm(new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start a child JVM", e);
        }
    }

    /**
     * Asks, and waits for the answer.
     *
     * @param words command and arguments, without blanks
     * @return the answer
     */
    public String ask(Object... words) {
        send(words);
        return receive();
    }

    /**
     * Asks without waiting; {@link #receive} the answer later.
     *
     * @param words command and arguments, without blanks
     */
    public void send(Object... words) {
        commands.println(
                String.join(" ", Arrays.stream(words).map(Object::toString).toList()));
    }

    /**
     * Waits for the answer to the last question.
     *
     * @return the answer
     * @throws IllegalStateException when the child failed or has ended
     */
    public String receive() {
        try {
            for (String line = answers.readLine(); line != null; line = answers.readLine()) {
                if (line.startsWith(ChildMain.ANSWER)) {
                    return line.substring(ChildMain.ANSWER.length());
                }
                if (line.startsWith(ChildMain.FAILURE)) {
                    throw new IllegalStateException("The child JVM failed: " + line);
                }
            }
            throw new IllegalStateException("The child JVM has ended");
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read from a child JVM", e);
        }
    }

    /**
     * Its process.
     *
     * @return number of the operating system
     */
    public long pid() {
        return process.pid();
    }

    /**
     * Kills it, as {@code kill -9} does: nothing of it runs any more.
     *
     * @return the time right before, on the clock of {@link System#nanoTime()}
     */
    public long kill() {
        long now = System.nanoTime();
        process.destroyForcibly();
        return now;
    }

    /**
     * Stops it for a while by {@code SIGSTOP}. A shell lets it go on, also if this JVM ends meanwhile.
     *
     * @param time how long
     * @throws InterruptedException when interrupted
     * @throws IllegalStateException when it could not be stopped or continued
     */
    public void pause(Duration time) throws InterruptedException {
        String seconds = String.format(Locale.ROOT, "%.3f", time.toNanos() / 1e9);
        List<String> command = List.of(
                "sh",
                "-c",
                "kill -STOP \"$1\" && sleep \"$2\"; kill -CONT \"$1\"",
                "pause",
                Long.toString(pid()),
                seconds);
        try {
            int status = new ProcessBuilder(command).inheritIO().start().waitFor();
            if (status != 0) {
                throw new IllegalStateException("Could not pause process " + process.pid() + ": status " + status);
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start a shell", e);
        }
    }

    @Override
    public void close() {
        commands.close();
        try {
            if (!process.waitFor(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly().waitFor();
            }
        } catch (InterruptedException e) {
            process.destroyForcibly();
            Thread.currentThread().interrupt();
        }
    }
}
