package io.github.lockstarter.testing;

import io.lettuce.core.api.sync.RedisCommands;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** A {@code redis-server} process of this machine. The process dies with this JVM however the JVM ends. */
final class EmbeddedRedisServer implements RedisServer {

    private static final int START_ATTEMPTS = 5;

    private final ScratchDirectory directory = ScratchDirectory.create("lock-starter-redis-");
    private final int port;
    private final String[] arguments;
    private final FixtureClient client;
    private final Thread removal = new Thread(this::end, "redis-fixture-removal");
    private GuardedProcess process;
    private boolean closed;

    private EmbeddedRedisServer(int port, String[] arguments) {
        this.port = port;
        this.arguments = arguments.clone();
        this.client = new FixtureClient(host(), port);
        this.process = launch();
        Runtime.getRuntime().addShutdownHook(removal);
    }

    static EmbeddedRedisServer start(String... arguments) {
        for (int attempt = 1; ; attempt++) {
            EmbeddedRedisServer server = new EmbeddedRedisServer(FreePort.next(), arguments);
            try {
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
        process.pause();
    }

    @Override
    public synchronized void resume() {
        if (process.isAlive()) {
            process.resume();
        }
    }

    @Override
    public synchronized void kill() {
        process.kill();
        client.disconnect();
    }

    @Override
    public synchronized void stop() {
        process.stop();
        client.disconnect();
    }

    @Override
    public synchronized void restart() {
        kill();
        process = launch();
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

    private GuardedProcess launch() {
        List<String> command = new ArrayList<>(List.of(
                RedisBinary.path().toString(),
                "--port",
                Integer.toString(port),
                "--bind",
                host(),
                "--save",
                "",
                "--appendonly",
                "no",
                "--dir",
                directory.path().toString()));
        command.addAll(List.of(FixtureClient.serverArguments()));
        command.addAll(List.of(arguments));
        return GuardedProcess.startLoggingTo(logFile(), directory.path().toFile(), command);
    }

    private void awaitReady() {
        boolean ready = Patience.until(() -> answers() || !process.isAlive());
        if (!ready || !process.isAlive()) {
            throw new IllegalStateException("redis-server does not answer on port " + port + ". Its log:\n" + log());
        }
    }

    private Path logFile() {
        return directory.path().resolve("redis-server.log");
    }

    private void end() {
        process.close();
        directory.close();
    }
}
