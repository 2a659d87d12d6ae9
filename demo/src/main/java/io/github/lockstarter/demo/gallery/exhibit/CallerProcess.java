package io.github.lockstarter.demo.gallery.exhibit;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.gallery.caller.CallerProgram;
import io.github.lockstarter.demo.process.ChildProgram;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A caller in its own JVM, which executes one command at a time.
 *
 * <p>Thread-safe: the monitor guards {@code pending}, the awaited answer, which one thread sets and the reader of
 * answers completes. Only the thread of the round uses {@code acquiring}, the answer to the latest attempt, and {@code
 * hasRead}, whether the caller has read since then.
 */
final class CallerProcess implements AutoCloseable {

    final String name;

    @Nullable
    CompletableFuture<Answer> acquiring;

    boolean hasRead;

    private final ChildProgram program;
    private CompletableFuture<Answer> pending = CompletableFuture.completedFuture(new Answer(0, "", 0));

    /**
     * Starts a caller without waiting until it is ready.
     *
     * @param side {@code broken} or {@code ours}
     * @param name a letter
     */
    CallerProcess(String side, String name) {
        this.name = name;
        String id = side + "-" + name;
        this.program = new ChildProgram("caller-" + id, List.of(DemoApp.CALLER, id), this::read, this::ended);
    }

    /**
     * An answer of a caller.
     *
     * @param nanos by {@link System#nanoTime()}
     * @param number views read or written, or end of the section; otherwise zero
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

    CompletableFuture<Answer> acquiring() {
        if (acquiring == null) {
            throw new IllegalStateException(name + " has not asked for the lock");
        }
        return acquiring;
    }

    boolean isRunning() {
        return program.isRunning();
    }

    void pause() {
        program.pause();
    }

    void resume() {
        program.resume();
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
