package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.process.ChildProgram;
import io.github.lockstarter.demo.process.Closer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * An instance of the application in its own JVM. Keeps its name and, after the first start, its port when it is killed
 * and replaced.
 *
 * <p>Thread-safe. Each start replaces {@code program} and {@code ready}; the thread that reads the output sets {@code
 * port}, changes {@code status} and completes {@code ready}.
 */
public final class InstanceProcess {

    static final Duration START = Duration.ofMinutes(2);

    private static final int ATTEMPTS = 3;
    private static final ObjectReader READER = JsonMapper.builder().build().readerFor(InstanceEvent.class);

    private final String name;
    private final List<String> arguments;
    private final DeploymentListener listener;
    private final Closer closer;
    private final AtomicReference<Status> status = new AtomicReference<>(Status.DOWN);
    private volatile @Nullable ChildProgram program;
    private volatile int port;
    private volatile CompletableFuture<Void> ready = new CompletableFuture<>();

    /**
     * @param name a letter
     * @param closer ends each of its processes
     */
    InstanceProcess(String name, List<String> arguments, DeploymentListener listener, Closer closer) {
        this.name = name;
        this.arguments = List.copyOf(arguments);
        this.listener = listener;
        this.closer = closer;
    }

    public enum Status {
        UP,
        /** Stopped by SIGSTOP. */
        PAUSED,
        /** Not running, or not ready yet. */
        DOWN
    }

    public String name() {
        return name;
    }

    /** Its port; zero before it was ready for the first time. */
    public int port() {
        return port;
    }

    public long pid() {
        ChildProgram now = program;
        return now == null ? 0 : now.pid();
    }

    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    public Status status() {
        return Objects.requireNonNull(status.get());
    }

    /**
     * Starts the process without waiting until it is ready.
     *
     * @throws IllegalStateException if the deployment is closing
     */
    void start() {
        ready = new CompletableFuture<>();
        List<String> words = new ArrayList<>(List.of(DemoApp.INSTANCE, "--server.port=" + port));
        words.addAll(arguments);
        program = closer.add(
                new ChildProgram("instance-" + name.toLowerCase(Locale.ROOT), words, this::read, this::ended));
    }

    /** Waits until it answers requests. */
    void awaitReady() {
        try {
            ready.copy().orTimeout(START.toMillis(), TimeUnit.MILLISECONDS).join();
        } catch (CompletionException failure) {
            throw new IllegalStateException(
                    "Instance " + name + " did not start:\n" + program().lastErrors(), failure);
        }
    }

    /** Sends SIGSTOP: connections stay open. */
    public void pause() {
        program().pause();
        change(Status.UP, Status.PAUSED);
    }

    /**
     * Sends SIGCONT.
     *
     * @return false if it was not paused, for example because it was killed
     */
    public boolean resume() {
        if (status() != Status.PAUSED) {
            return false;
        }
        program().resume();
        return change(Status.PAUSED, Status.UP);
    }

    public void kill() {
        program().close();
    }

    /**
     * Starts another process on the same port and waits until it is ready. Retries, since a connection of another
     * process may briefly occupy the port.
     */
    public void replace() {
        for (int attempt = 1; ; attempt++) {
            try {
                start();
                awaitReady();
                return;
            } catch (IllegalStateException failure) {
                if (attempt == ATTEMPTS || program().isRunning() || closer.isClosed()) {
                    throw failure;
                }
            }
        }
    }

    private ChildProgram program() {
        return Objects.requireNonNull(program, "not started");
    }

    /** Returns false if the process has ended. */
    private boolean change(Status from, Status to) {
        boolean changed = status.compareAndSet(from, to);
        listener.instancesChanged();
        return changed;
    }

    private void ended() {
        status.set(Status.DOWN);
        ready.completeExceptionally(new IllegalStateException("Instance " + name + " has ended"));
        listener.instancesChanged();
    }

    private void read(String line) {
        if (!line.startsWith("{")) {
            return;
        }
        InstanceEvent event = READER.readValue(line);
        if (event instanceof InstanceEvent.Ready up) {
            port = up.port();
            change(Status.DOWN, Status.UP);
            ready.complete(null);
        } else {
            listener.reported(name, event);
        }
    }
}
