package io.github.lockstarter.benchmarks.jvm;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A child JVM that runs commands by a {@link ChildTask}; never outlives this JVM. Used by one thread. */
public final class TaskJvm implements AutoCloseable {

    private static final Duration TIMEOUT = Duration.ofMinutes(10);

    private final ChildJvm jvm;
    private int answers;

    private TaskJvm(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /**
     * Starts a JVM; close it.
     *
     * @param options such as {@code -Xmx1g}
     */
    public static TaskJvm start(Class<? extends ChildTask> task, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("lock."))
                .forEach(name -> all.add("-D" + name + "=" + System.getProperty(name)));
        return new TaskJvm(ChildJvm.start(Jdks.own(), all, ChildMain.class, task.getName()));
    }

    /**
     * Sends a command and waits for its answer.
     *
     * @param words command and arguments, without blanks
     */
    public String ask(Object... words) {
        send(words);
        return receive();
    }

    /** Sends a command without waiting; call {@link #receive} later. */
    public void send(Object... words) {
        jvm.send(String.join(" ", Arrays.stream(words).map(Object::toString).toList()));
    }

    /**
     * Waits for the next answer.
     *
     * @throws IllegalStateException if the command failed
     * @throws AssertionError if the child has ended
     */
    public String receive() {
        answers++;
        String answer = ChildMain.ANSWER + answers + ' ';
        String failure = ChildMain.FAILURE + answers + ' ';
        String line = jvm.awaitLine(each -> each.startsWith(answer) || each.startsWith(failure), TIMEOUT);
        if (line.startsWith(failure)) {
            throw new IllegalStateException("The child JVM failed: " + line);
        }
        return line.substring(answer.length());
    }

    /**
     * Sends SIGKILL.
     *
     * @return {@link System#nanoTime()} just before
     */
    public long kill() {
        long now = System.nanoTime();
        jvm.kill();
        return now;
    }

    /** Pauses it for this time (SIGSTOP). */
    public void pause(Duration time) throws InterruptedException {
        jvm.pause();
        TimeUnit.NANOSECONDS.sleep(time.toNanos());
        jvm.resume();
    }

    @Override
    public void close() {
        jvm.close();
    }
}
