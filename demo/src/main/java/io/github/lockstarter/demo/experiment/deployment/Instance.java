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
 * An instance of the application, a JVM of its own. It has its name for the whole life of this object, and the port
 * that it found at its first start, even after it was killed and replaced.
 *
 * <p>Thread-safe. Each start replaces {@code program} and {@code ready}; the thread that reads the output of the
 * process sets {@code port}, changes {@code status} and completes {@code ready}.
 */
public final class Instance {

    /** For how long a start is awaited. */
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
     * An instance that does not run yet.
     *
     * @param name a letter
     * @param arguments settings
     * @param listener receives its events
     * @param closer ends each of its processes
     */
    Instance(String name, List<String> arguments, DeploymentListener listener, Closer closer) {
        this.name = name;
        this.arguments = List.copyOf(arguments);
        this.listener = listener;
        this.closer = closer;
    }

    /** What an instance can be. */
    public enum Status {
        /** It answers. */
        UP,
        /** It was stopped (SIGSTOP), and knows nothing of it. */
        PAUSED,
        /** It does not run, or not yet. */
        DOWN
    }

    /** Its name, a letter. */
    public String name() {
        return name;
    }

    /** Port on which it listens, zero before it is ready for the first time. */
    public int port() {
        return port;
    }

    /** Its process id, zero while it does not run. */
    public long pid() {
        ChildProgram now = program;
        return now == null ? 0 : now.pid();
    }

    /** Address at which it is called without the reverse proxy. */
    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port + path);
    }

    /** What it is just now. */
    public Status status() {
        return Objects.requireNonNull(status.get());
    }

    /**
     * Starts it. It is not ready when this returns.
     *
     * @throws IllegalStateException when the deployment is being ended
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

    /** Stops it where it is (SIGSTOP): connections stay open, and it does not know. */
    public void pause() {
        program().pause();
        change(Status.UP, Status.PAUSED);
    }

    /**
     * Lets it go on.
     *
     * @return whether it was paused; false when it was killed meanwhile
     */
    public boolean resume() {
        if (status() != Status.PAUSED) {
            return false;
        }
        program().resume();
        return change(Status.PAUSED, Status.UP);
    }

    /** Ends it at once (SIGKILL), and waits until it is gone. */
    public void kill() {
        program().close();
    }

    /**
     * Starts another process in its place, and waits until that is ready. Retries when that does not come up: a
     * connection of another process may have its port for a moment.
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

    /** Returns whether the status was the expected one: the process may have ended meanwhile. */
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
