package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.gallery.caller.CallerProgram;
import io.github.lockstarter.demo.process.ChildProgram;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller, a JVM of its own, which does one thing at a time.
 *
 * <p>Thread-safe: the monitor guards {@code pending}, the answer that is awaited. One caller at a time sets it, and the
 * thread that reads the answers completes it. For the thread of the round only: {@code acquiring}, the answer to the
 * newest attempt, and {@code hasRead}, whether the caller has read since then.
 */
final class CallerProcess implements AutoCloseable {

    final String name;

    @Nullable
    CompletableFuture<Answer> acquiring;

    boolean hasRead;

    private final ChildProgram program;
    private CompletableFuture<Answer> pending = CompletableFuture.completedFuture(new Answer(0, "", 0));

    /**
     * Starts a caller. It is not ready when this returns.
     *
     * @param side its lock, {@code broken} or {@code ours}
     * @param name a letter
     */
    CallerProcess(String side, String name) {
        this.name = name;
        String id = side + "-" + name;
        this.program = new ChildProgram("caller-" + id, List.of(DemoApp.CALLER, id), this::read, this::ended);
    }

    /**
     * The answer of a caller.
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

    /** The answer to the newest attempt to acquire. */
    CompletableFuture<Answer> acquiring() {
        if (acquiring == null) {
            throw new IllegalStateException(name + " has not asked for the lock");
        }
        return acquiring;
    }

    /** Whether it runs, stopped or not. */
    boolean isRunning() {
        return program.isRunning();
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
