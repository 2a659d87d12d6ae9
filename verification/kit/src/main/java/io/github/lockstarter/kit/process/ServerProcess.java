package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A local server that tests can pause, kill and restart. Keeps its port and files over restarts and never outlives
 * this JVM. Thread-safe: the monitor guards {@code process}, which each start replaces.
 */
public abstract class ServerProcess implements AutoCloseable {

    private static final int ATTEMPTS = 5;

    private final String name;
    private final int port;
    private final ScratchDirectory files;
    private @Nullable GuardedProcess process;

    /** @param name for messages and file names */
    protected ServerProcess(String name, int port) {
        this.name = name;
        this.port = port;
        this.files = ScratchDirectory.create("lock-kit-" + name + "-");
    }

    /**
     * Starts a server and waits until it answers. Retries with a new one, since another program may have taken the
     * port.
     *
     * @param prepare creates a server on a free port
     */
    protected static <T extends ServerProcess> T start(Supplier<T> prepare) {
        for (int attempt = 1; ; attempt++) {
            T server = prepare.get();
            try {
                server.restart();
                return server;
            } catch (IllegalStateException e) {
                server.close();
                if (attempt == ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /** Returns the command line of each start. */
    protected abstract List<String> command();

    /** Whether it answers promptly. */
    public abstract boolean answers();

    public String host() {
        return "127.0.0.1";
    }

    public final int port() {
        return port;
    }

    public final String address() {
        return host() + ':' + port;
    }

    public final Path directory() {
        return files.path();
    }

    /** Its output; empty before the first start. */
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the log of " + name, e);
        }
    }

    public final long pid() {
        return process().pid();
    }

    /** Sends SIGSTOP: connections stay open without answers. */
    public synchronized void pause() {
        process().pause();
    }

    public synchronized void resume() {
        if (process().isAlive()) {
            process().resume();
        }
    }

    /** Sends SIGKILL. */
    public synchronized void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** Sends SIGTERM. */
    public synchronized void stop() {
        process().stop();
    }

    /** Starts the server again, killing it first if it runs; waits until it answers. */
    public synchronized void restart() {
        kill();
        launch();
        awaitReady();
    }

    /** Starts the process without waiting. */
    public synchronized void launch() {
        process = GuardedProcess.startLoggingTo(logFile(), directory(), command());
    }

    public void awaitReady() {
        if (!Polling.until(() -> answers() || !process().isAlive())
                || !process().isAlive()) {
            throw new IllegalStateException(name + " does not answer on port " + port + ". Its log:\n" + log());
        }
    }

    /** Kills the server and deletes its files. Idempotent. */
    @Override
    public synchronized void close() {
        kill();
        files.close();
    }

    protected final synchronized boolean isStarted() {
        return process != null;
    }

    protected final synchronized GuardedProcess process() {
        if (process == null) {
            throw new IllegalStateException(name + " on port " + port + " was never started");
        }
        return process;
    }

    private Path logFile() {
        return directory().resolve(name + ".log");
    }
}
