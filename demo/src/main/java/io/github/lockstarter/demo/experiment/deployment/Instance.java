package io.github.lockstarter.demo.experiment.deployment;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.demo.process.ChildProgram;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * An instance of the application, a JVM of its own. It has its name for the whole life of this object, and the port
 * that it found at its first start, also when it is killed and replaced.
 *
 * <p>Thread-safe: the monitor guards {@code port}, {@code status} and {@code ready}, which is replaced with each start.
 * The thread that reads what the process prints completes it; the listener is called outside of the monitor.
 */
public final class Instance implements AutoCloseable {

    /** For how long a start is awaited. */
    static final Duration START = Duration.ofMinutes(2);

    private static final int ATTEMPTS = 3;
    private static final ObjectReader READER = JsonMapper.builder().build().readerFor(InstanceEvent.class);

    private final String name;
    private final DeploymentListener listener;
    private final ChildProgram program;
    private int port;
    private Status status = Status.DOWN;
    private CompletableFuture<Void> ready = new CompletableFuture<>();

    /**
     * An instance that does not run yet.
     *
     * @param name a letter
     * @param arguments settings
     * @param listener receives its events
     */
    Instance(String name, List<String> arguments, DeploymentListener listener) {
        this.name = name;
        this.listener = listener;
        this.program = new ChildProgram(
                "instance-" + name.toLowerCase(Locale.ROOT), DemoApp.INSTANCE, arguments, this::read, this::ended);
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
    public synchronized int port() {
        return port;
    }

    /** Its process id, zero while it does not run. */
    public long pid() {
        return program.pid();
    }

    /** Address at which it is called without the reverse proxy. */
    public URI uri(String path) {
        return URI.create("http://127.0.0.1:" + port() + path);
    }

    /** What it is just now. */
    public synchronized Status status() {
        return status;
    }

    /** Starts it. It is not ready when this returns. */
    void start() {
        int known;
        synchronized (this) {
            ready = new CompletableFuture<>();
            known = port;
        }
        program.start("-Dserver.port=" + known);
    }

    /** Waits until it answers requests. */
    void awaitReady() {
        CompletableFuture<Void> awaited;
        synchronized (this) {
            awaited = ready;
        }
        try {
            awaited.get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException("Instance " + name + " did not start:\n" + program.lastErrors(), failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while instance " + name + " started", interrupt);
        }
    }

    /** Stops it where it is (SIGSTOP): connections stay open, and it does not know. */
    public void pause() {
        program.pause();
        become(Status.UP, Status.PAUSED);
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
        program.resume();
        return become(Status.PAUSED, Status.UP);
    }

    /** Ends it at once (SIGKILL), and waits until it is gone. */
    public void kill() {
        program.kill();
    }

    /**
     * Starts another one in its place, and waits until that is ready. Retries when that does not come up: a connection
     * of another process may have its port for a moment.
     */
    public void replace() {
        for (int attempt = 1; ; attempt++) {
            try {
                start();
                awaitReady();
                return;
            } catch (IllegalStateException failure) {
                if (attempt == ATTEMPTS || program.isRunning()) {
                    throw failure;
                }
            }
        }
    }

    /** Ends it, and removes what it has written. */
    @Override
    public void close() {
        program.close();
    }

    /** Says whether it has: it may have ended meanwhile. */
    private boolean become(Status from, Status to) {
        boolean changed;
        synchronized (this) {
            changed = status == from;
            status = changed ? to : status;
        }
        listener.instancesChanged();
        return changed;
    }

    private void ended() {
        synchronized (this) {
            status = Status.DOWN;
            ready.completeExceptionally(new IllegalStateException("Instance " + name + " has ended"));
        }
        listener.instancesChanged();
    }

    private void read(String line) {
        if (!line.startsWith("{")) {
            return;
        }
        InstanceEvent event = READER.readValue(line);
        if (event instanceof InstanceEvent.Ready up) {
            synchronized (this) {
                port = up.port();
            }
            become(Status.DOWN, Status.UP);
            synchronized (this) {
                ready.complete(null);
            }
        } else {
            listener.reported(name, event);
        }
    }
}
