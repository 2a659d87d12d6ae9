package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.process.SupervisedProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import tools.jackson.databind.ObjectReader;
import tools.jackson.databind.json.JsonMapper;

/**
 * An instance of the application, a JVM of its own. It has its name for the whole life of this object, and the port
 * that it found at its first start, also when it is killed and replaced.
 *
 * <p>Thread-safe: the mutable fields are {@code life}, replaced with each start, and {@code port}, set once. The thread
 * that reads what the process prints completes its readiness; the thread that pauses, resumes or kills it sets its
 * status.
 */
public final class Instance implements AutoCloseable {

    /** For how long a start is awaited. */
    static final Duration START = Duration.ofMinutes(2);

    private static final int ATTEMPTS = 3;
    private static final ObjectReader READER = JsonMapper.builder().build().readerFor(InstanceEvent.class);

    private final String name;
    private final AtomicInteger port = new AtomicInteger();
    private final StageListener listener;
    private final SupervisedProcess process;
    private final AtomicReference<Life> life = new AtomicReference<>(new Life(Status.DOWN, new CompletableFuture<>()));

    private Instance(String name, StageListener listener, List<String> properties) throws IOException {
        this.name = name;
        this.listener = listener;
        this.process = SupervisedProcess.prepare(
                "instance-" + name.toLowerCase(Locale.ROOT),
                directory -> InstanceCommand.of(directory, properties),
                this::read);
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

    /** From one start to its end. */
    private record Life(Status status, CompletableFuture<InstanceEvent> ready) {

        Life with(Status changed) {
            return new Life(changed, ready);
        }
    }

    /**
     * Makes an instance that does not run yet.
     *
     * @param name what it is called
     * @param properties where its servers are
     * @param listener is told what it tells
     */
    static Instance prepare(String name, List<String> properties, StageListener listener) {
        List<String> all = new ArrayList<>(properties);
        all.add("demo.pview.instance=" + name);
        try {
            return new Instance(name, listener, all);
        } catch (IOException failure) {
            throw new UncheckedIOException("Instance " + name + " could not be prepared", failure);
        }
    }

    /**
     * What it is called.
     *
     * @return a letter
     */
    public String name() {
        return name;
    }

    /**
     * Where it listens.
     *
     * @return its port, zero before it is ready for the first time
     */
    public int port() {
        return port.get();
    }

    /**
     * Its process id.
     *
     * @return zero while it does not run
     */
    public long pid() {
        return process.isRunning() ? process.pid() : 0;
    }

    /**
     * Where it is called without the reverse proxy.
     *
     * @param path path and query
     * @return the address
     */
    public URI uri(String path) {
        return URI.create("http://" + Loopback.HOST + ":" + port() + path);
    }

    /**
     * What it is just now.
     *
     * @return its status
     */
    public Status status() {
        return life().status();
    }

    /**
     * Starts it. It is not ready when this returns.
     *
     * @throws UncheckedIOException when it runs, or does not begin
     */
    void start() {
        try {
            if (process.isRunning()) {
                throw new IOException("Instance " + name + " runs already");
            }
            Files.writeString(InstanceCommand.options(process.directory()), "-Dserver.port=" + port());
            life.set(new Life(Status.DOWN, new CompletableFuture<>()));
            process.start();
            process.end().whenComplete((status, failure) -> ended());
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Waits until it answers requests. */
    void awaitReady() {
        try {
            life().ready().get(START.toMillis(), TimeUnit.MILLISECONDS);
        } catch (ExecutionException | TimeoutException failure) {
            throw new IllegalStateException("Instance " + name + " did not start:\n" + lastWords(), failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while instance " + name + " started", interrupt);
        }
    }

    /** Stops it where it is (SIGSTOP): connections stay open, and it does not know. */
    public void pause() {
        signal("STOP");
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
        signal("CONT");
        return become(Status.PAUSED, Status.UP);
    }

    /** Ends it at once (SIGKILL), and waits until it is gone. */
    public void kill() {
        try {
            process.kill();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Starts another one in its place, and waits until that is ready. Again when that does not come up: a connection of
     * somebody else may have its port for a moment.
     */
    public void replace() {
        for (int attempt = 1; ; attempt++) {
            try {
                start();
                awaitReady();
                return;
            } catch (IllegalStateException failure) {
                if (attempt == ATTEMPTS || process.isRunning()) {
                    throw failure;
                }
            }
        }
    }

    /** Ends it, and removes what it has written. */
    @Override
    public void close() {
        try {
            process.kill();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        } finally {
            process.close();
        }
    }

    private Life life() {
        return Objects.requireNonNull(life.get());
    }

    private void signal(String signal) {
        try {
            process.signal(signal);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Says whether it has: it may have ended meanwhile. */
    private boolean become(Status from, Status to) {
        Life now = life();
        boolean changed = now.status() == from && life.compareAndSet(now, now.with(to));
        listener.instancesChanged();
        return changed;
    }

    private void ended() {
        life().ready().completeExceptionally(new IllegalStateException("Instance " + name + " has ended"));
        life.updateAndGet(now -> now.with(Status.DOWN));
        listener.instancesChanged();
    }

    private void read(String line) {
        if (!line.startsWith("{")) {
            return;
        }
        InstanceEvent event = READER.readValue(line);
        if (event instanceof InstanceEvent.Ready ready) {
            port.compareAndSet(0, ready.port());
            become(Status.DOWN, Status.UP);
            life().ready().complete(event);
        } else {
            listener.told(name, event);
        }
    }

    private String lastWords() {
        try {
            List<String> lines = Files.readAllLines(process.directory().resolve("errors.log"));
            return String.join("\n", lines.subList(Math.max(0, lines.size() - 40), lines.size()));
        } catch (IOException unreadable) {
            return "its log cannot be read: " + unreadable.getMessage();
        }
    }
}
