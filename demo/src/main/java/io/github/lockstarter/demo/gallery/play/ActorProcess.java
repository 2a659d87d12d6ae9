package io.github.lockstarter.demo.gallery.play;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.experiment.stage.Belongings;
import io.github.lockstarter.demo.experiment.stage.InstanceCommand;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.process.SupervisedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An actor, a JVM of its own, which does one thing at a time. Commands and answers go over a connection of the loopback
 * interface.
 *
 * <p>Thread-safe. Mutable: {@code pending}, the answer that is awaited; one caller at a time sets it, and the thread
 * that reads the answers completes it.
 */
final class ActorProcess implements AutoCloseable {

    /** As long as its answers may take; the end of the process closes the listener before. */
    private static final int START_MS = 120_000;

    private static final CompletableFuture<Answer> NOTHING = new CompletableFuture<>();

    private final String name;
    private final SupervisedProcess process;
    private final ServerSocket listener;
    private final CompletableFuture<Socket> connection = new CompletableFuture<>();
    private final AtomicReference<CompletableFuture<Answer>> pending = new AtomicReference<>(NOTHING);

    private ActorProcess(String name, SupervisedProcess process, ServerSocket listener) {
        this.name = name;
        this.process = process;
        this.listener = listener;
    }

    /**
     * What an actor says.
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
     * Starts an actor. It is not ready when this returns.
     *
     * @param name its letter, with that of its side
     * @param owner ends it, also when it does not start
     */
    static ActorProcess start(String name, Belongings owner) {
        try {
            ServerSocket listener = owner.add(new ServerSocket(0, 1, InetAddress.getLoopbackAddress()));
            listener.setSoTimeout(START_MS);
            List<String> arguments = List.of(Integer.toString(listener.getLocalPort()), name);
            SupervisedProcess process = SupervisedProcess.prepare(
                    "actor-" + name,
                    directory -> InstanceCommand.of(directory, List.of("-Xshare:auto"), DemoApp.ACTOR, arguments),
                    line -> {});
            ActorProcess actor = owner.add(new ActorProcess(name, process, listener));
            process.start();
            process.end().whenComplete((status, failure) -> actor.ended());
            Thread reader = new Thread(actor::read, "answers-of-" + name);
            reader.setDaemon(true);
            reader.start();
            return actor;
        } catch (IOException failure) {
            throw new UncheckedIOException("Actor " + name + " did not start on " + Loopback.HOST, failure);
        }
    }

    /**
     * Tells the actor what to do.
     *
     * @param command one line
     * @return what it says, at a breakpoint or at the end
     */
    CompletableFuture<Answer> send(String command) {
        CompletableFuture<Answer> answer = new CompletableFuture<>();
        CompletableFuture<Answer> before = Objects.requireNonNull(pending.getAndSet(answer));
        if (before != NOTHING && !before.isDone()) {
            throw new IllegalStateException("Actor " + name + " has not answered yet");
        }
        connection.whenComplete((socket, failure) -> {
            if (failure != null) {
                answer.completeExceptionally(failure);
                return;
            }
            try {
                new PrintWriter(socket.getOutputStream(), true, StandardCharsets.UTF_8).println(command);
            } catch (IOException gone) {
                answer.completeExceptionally(gone);
            }
        });
        return answer;
    }

    /** Sends a signal, such as {@code STOP}. */
    void signal(String signal) {
        try {
            process.signal(signal);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Ends it at once (SIGKILL), and waits until it is gone. */
    void kill() {
        try {
            process.kill();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    @Override
    public void close() {
        try (listener) {
            process.kill();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            process.close();
        }
    }

    /** Nobody connects any more, so nobody needs to wait for that. Harmless after the connection. */
    private void ended() {
        connection.completeExceptionally(hasEnded());
        try {
            listener.close();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private IllegalStateException hasEnded() {
        return new IllegalStateException("Actor " + name + " has ended");
    }

    private void read() {
        try (Socket socket = listener.accept();
                BufferedReader lines =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            socket.setTcpNoDelay(true);
            lines.readLine();
            connection.complete(socket);
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                accept(line);
            }
        } catch (IOException ended) {
            connection.completeExceptionally(ended);
        }
        Objects.requireNonNull(pending.get()).completeExceptionally(hasEnded());
    }

    private void accept(String line) {
        CompletableFuture<Answer> asked = Objects.requireNonNull(pending.get());
        try {
            asked.complete(Answer.of(line));
        } catch (RuntimeException failure) {
            asked.completeExceptionally(
                    new IllegalStateException("Actor " + name + ": " + failure.getMessage(), failure));
        }
    }
}
