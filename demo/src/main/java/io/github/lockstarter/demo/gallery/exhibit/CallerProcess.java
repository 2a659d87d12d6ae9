package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.gallery.caller.CallerProgram;
import io.github.lockstarter.demo.process.ChildProgram;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * A caller, a JVM of its own, which does one thing at a time.
 *
 * <p>Thread-safe: the monitor guards {@code pending}, the answer that is awaited. One caller at a time sets it, and the
 * thread that reads the answers completes it.
 */
final class CallerProcess implements AutoCloseable {

    private final String name;
    private final ChildProgram program;
    private CompletableFuture<Answer> pending = CompletableFuture.completedFuture(new Answer(0, "", 0));

    /** A caller that is starting. */
    CallerProcess(String name) {
        this.name = name;
        this.program = new ChildProgram("caller-" + name, DemoApp.CALLER, List.of(name), this::read, this::ended);
    }

    /**
     * What a caller says.
     *
     * @param nanos when, {@link System#nanoTime()} of this machine
     * @param word what
     * @param number what was read or written, or when the section was over; zero where there is no such thing
     */
    record Answer(long nanos, String word, long number) {

        static Answer of(String line) {
            String[] parts = line.split(" ", 3);
            if (parts[1].equals("failed")) {
                throw new IllegalStateException(parts[2]);
            }
            return new Answer(Long.parseLong(parts[0]), parts[1], parts.length < 3 ? 0 : Long.parseLong(parts[2]));
        }
    }

    /** Starts the process. It is not ready when this returns. */
    void start() {
        program.start("-Xshare:auto");
    }

    /**
     * Sends a command.
     *
     * @param command one line
     * @return the answer, at a breakpoint or at the end
     */
    synchronized CompletableFuture<Answer> send(String command) {
        if (!pending.isDone()) {
            throw new IllegalStateException("Caller " + name + " has not answered yet");
        }
        pending = new CompletableFuture<>();
        if (program.isRunning()) {
            program.send(command);
        } else {
            ended();
        }
        return pending;
    }

    /** Stops it (SIGSTOP). */
    void pause() {
        program.pause();
    }

    /** Lets it go on (SIGCONT). */
    void resume() {
        program.resume();
    }

    /** Ends it at once (SIGKILL), and waits until it is gone. */
    void kill() {
        program.kill();
    }

    @Override
    public void close() {
        program.close();
    }

    private void ended() {
        awaited().completeExceptionally(new IllegalStateException("Caller " + name + " has ended"));
    }

    private void read(String line) {
        if (!line.startsWith(CallerProgram.ANSWER)) {
            return;
        }
        CompletableFuture<Answer> asked = awaited();
        try {
            asked.complete(Answer.of(line.substring(CallerProgram.ANSWER.length())));
        } catch (RuntimeException failure) {
            asked.completeExceptionally(
                    new IllegalStateException("Caller " + name + ": " + failure.getMessage(), failure));
        }
    }

    private synchronized CompletableFuture<Answer> awaited() {
        return pending;
    }
}
