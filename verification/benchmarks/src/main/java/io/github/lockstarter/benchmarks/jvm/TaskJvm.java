package io.github.lockstarter.benchmarks.jvm;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** Another JVM that answers commands by a {@link ChildTask}. Never outlives this JVM. Used by one thread. */
public final class TaskJvm implements AutoCloseable {

    private static final Duration PATIENCE = Duration.ofMinutes(10);

    private final ChildJvm jvm;
    private int answers;

    private TaskJvm(ChildJvm jvm) {
        this.jvm = jvm;
    }

    /**
     * Starts a JVM.
     *
     * @param task answers the commands
     * @param options of the JVM, such as {@code -Xmx1g}
     * @return the running JVM; close it
     */
    public static TaskJvm start(Class<? extends ChildTask> task, String... options) {
        List<String> all = new ArrayList<>(List.of(options));
        System.getProperties().stringPropertyNames().stream()
                .filter(name -> name.startsWith("lock."))
                .forEach(name -> all.add("-D" + name + "=" + System.getProperty(name)));
        return new TaskJvm(ChildJvm.start(Jdks.own(), all, ChildMain.class, task.getName()));
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
        jvm.send(String.join(" ", Arrays.stream(words).map(Object::toString).toList()));
    }

    /**
     * Waits for the answer to the first question that has none yet.
     *
     * @return the answer
     * @throws IllegalStateException when the child failed
     * @throws AssertionError when it has ended
     */
    public String receive() {
        answers++;
        String answer = ChildMain.ANSWER + answers + ' ';
        String failure = ChildMain.FAILURE + answers + ' ';
        String line = jvm.awaitLine(each -> each.startsWith(answer) || each.startsWith(failure), PATIENCE);
        if (line.startsWith(failure)) {
            throw new IllegalStateException("The child JVM failed: " + line);
        }
        return line.substring(answer.length());
    }

    /**
     * Kills it by {@code kill -9}.
     *
     * @return the time right before, on the clock of {@link System#nanoTime()}
     */
    public long kill() {
        long now = System.nanoTime();
        jvm.kill();
        return now;
    }

    /** Stops it for a while by {@code SIGSTOP}. */
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
