package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.GuardedProcess;
import io.github.lockstarter.testing.Patience;
import io.github.lockstarter.testing.ScratchDirectory;
import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** A {@code redis-server} process of this machine. The process dies with this JVM however the JVM ends. */
final class EmbeddedRedisServer implements RedisServer {

    private static final int START_ATTEMPTS = 5;
    private static final List<String> DATA = List.of("--save", "", "--appendonly", "no");
    private static final String SENTINEL_FILE = "sentinel.conf";

    private final ScratchDirectory directory = ScratchDirectory.create("lock-starter-redis-");
    private final int port;
    private final Supplier<List<String>> program;
    private final List<String> mode;
    private final String[] arguments;
    private final FixtureClient client;
    private final Thread removal = new Thread(this::end, "redis-fixture-removal");
    private @Nullable GuardedProcess process;
    private boolean closed;

    private EmbeddedRedisServer(int port, Supplier<List<String>> program, List<String> mode, String[] arguments) {
        this.port = port;
        this.program = program;
        this.mode = mode;
        this.arguments = arguments.clone();
        this.client =
                mode.contains(SENTINEL_FILE) ? FixtureClient.ofSentinel(host(), port) : new FixtureClient(host(), port);
        Runtime.getRuntime().addShutdownHook(removal);
    }

    static EmbeddedRedisServer start(String... arguments) {
        return start(EmbeddedRedisServer::bundled, DATA, arguments);
    }

    /** Another binary than the bundled one, with what comes before it on the command line. */
    static EmbeddedRedisServer startProgram(List<String> program, String... arguments) {
        return start(() -> program, DATA, arguments);
    }

    /** A sentinel: it keeps what it finds out in a file of its own, which it does not start without. */
    static EmbeddedRedisServer startSentinel(String... arguments) {
        return start(EmbeddedRedisServer::bundled, List.of(SENTINEL_FILE, "--sentinel"), arguments);
    }

    /** One on the given port or not at all, such as a node that others know already. Started by {@link #restart}. */
    static EmbeddedRedisServer prepare(int port, String... arguments) {
        return new EmbeddedRedisServer(port, EmbeddedRedisServer::bundled, DATA, arguments);
    }

    private static List<String> bundled() {
        return List.of(RedisBinary.path().toString());
    }

    private static EmbeddedRedisServer start(Supplier<List<String>> program, List<String> mode, String... arguments) {
        for (int attempt = 1; ; attempt++) {
            EmbeddedRedisServer server = new EmbeddedRedisServer(FreePort.next(), program, mode, arguments);
            try {
                server.launch();
                server.awaitReady();
                return server;
            } catch (IllegalStateException e) {
                server.close();
                if (attempt == START_ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public String log() {
        try {
            return Files.readString(logFile());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the log of redis-server", e);
        }
    }

    @Override
    public synchronized void pause() {
        process().pause();
    }

    @Override
    public synchronized void resume() {
        if (process().isAlive()) {
            process().resume();
        }
    }

    @Override
    public synchronized void kill() {
        if (process != null) {
            process.kill();
        }
        client.disconnect();
    }

    @Override
    public synchronized void stop() {
        process().stop();
        client.disconnect();
    }

    @Override
    public synchronized void restart() {
        kill();
        launch();
        awaitReady();
    }

    @Override
    public RedisCommands<String, String> commands() {
        return client.commands();
    }

    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        client.close();
        end();
        try {
            Runtime.getRuntime().removeShutdownHook(removal);
        } catch (IllegalStateException e) {
            // The JVM is going down: the hook runs, and finds nothing left to do.
        }
    }

    /** Starts the process, and does not wait until it answers. */
    synchronized void launch() {
        List<String> command = new ArrayList<>(program.get());
        command.addAll(mode);
        command.addAll(List.of(
                "--port",
                Integer.toString(port),
                "--bind",
                host(),
                "--dir",
                directory.path().toString()));
        command.addAll(List.of(FixtureClient.serverArguments()));
        command.addAll(List.of(arguments));
        if (mode.contains(SENTINEL_FILE)) {
            empty(directory.path().resolve(SENTINEL_FILE));
        }
        process = GuardedProcess.startLoggingTo(logFile(), directory.path().toFile(), command);
    }

    /** Waits until it answers. */
    void awaitReady() {
        boolean ready = Patience.until(() -> answers() || !process().isAlive());
        if (!ready || !process().isAlive()) {
            throw new IllegalStateException("redis-server does not answer on port " + port + ". Its log:\n" + log());
        }
    }

    /** Where it keeps its files. */
    Path directory() {
        return directory.path();
    }

    private static void empty(Path file) {
        try {
            Files.writeString(file, "");
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + file, e);
        }
    }

    private Path logFile() {
        return directory.path().resolve("redis-server.log");
    }

    private synchronized GuardedProcess process() {
        if (process == null) {
            throw new IllegalStateException("redis-server on port " + port + " was never started");
        }
        return process;
    }

    private void end() {
        GuardedProcess started = process;
        if (started != null) {
            started.close();
        }
        directory.close();
    }
}
