package io.github.lockstarter.kit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A server of this machine that can be made to fail. Keeps its port and its files over every restart, and ends with
 * this JVM, however it ends. Thread-safe: the monitor guards {@code process}, which each start replaces.
 */
public abstract class ServerProcess implements AutoCloseable {

    private static final int ATTEMPTS = 5;

    private final String name;
    private final int port;
    private final ScratchDirectory files;
    private @Nullable GuardedProcess process;

    /**
     * Prepares a server that does not run yet.
     *
     * @param name in messages and in names of files
     * @param port where it will listen
     */
    protected ServerProcess(String name, int port) {
        this.name = name;
        this.port = port;
        this.files = ScratchDirectory.create("lock-kit-" + name + "-");
    }

    /**
     * Starts a server, and waits until it answers; starts another one where it does not, as when another program has
     * its port.
     *
     * @param <T> the kind of server
     * @param prepare makes one on a free port
     * @return the running server
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

    /** The command line; called for each start. */
    protected abstract List<String> command();

    /** Whether it answers at once; false if it is down or paused. */
    public abstract boolean answers();

    /** Address of the host on which it listens. */
    public String host() {
        return "127.0.0.1";
    }

    /** Port on which it listens, the same for the whole life of this object. */
    public final int port() {
        return port;
    }

    /** Host and port, with a colon between them. */
    public final String address() {
        return host() + ':' + port;
    }

    /** Directory of its files. */
    public final Path directory() {
        return files.path();
    }

    /** What it has printed; empty before the first start. */
    public String log() {
        try {
            return Files.exists(logFile()) ? Files.readString(logFile()) : "";
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the log of " + name, e);
        }
    }

    /** Number of its process. */
    public final long pid() {
        return process().pid();
    }

    /** Stops the process (SIGSTOP): connections stay open, and the server answers nothing. */
    public synchronized void pause() {
        process().pause();
    }

    /** Lets a paused process continue (SIGCONT). */
    public synchronized void resume() {
        if (process().isAlive()) {
            process().resume();
        }
    }

    /** Ends the process at once (SIGKILL). */
    public synchronized void kill() {
        if (process != null) {
            process.kill();
        }
    }

    /** Ends the process in an orderly way (SIGTERM). */
    public synchronized void stop() {
        process().stop();
    }

    /** Starts a stopped or killed server again, after killing a running one; waits until it answers. */
    public synchronized void restart() {
        kill();
        launch();
        awaitReady();
    }

    /** Starts the process, and does not wait until it answers. */
    public synchronized void launch() {
        process = GuardedProcess.startLoggingTo(logFile(), directory(), command());
    }

    /** Waits until it answers. */
    public void awaitReady() {
        if (!Patience.until(() -> answers() || !process().isAlive())
                || !process().isAlive()) {
            throw new IllegalStateException(name + " does not answer on port " + port + ". Its log:\n" + log());
        }
    }

    /** Ends the server and removes its files. Idempotent. */
    @Override
    public synchronized void close() {
        kill();
        files.close();
    }

    /** Whether it was ever started. */
    protected final synchronized boolean isStarted() {
        return process != null;
    }

    /** The process that was started last. */
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
