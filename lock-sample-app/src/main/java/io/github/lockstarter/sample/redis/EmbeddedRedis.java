package io.github.lockstarter.sample.redis;

import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.process.SupervisedProcess;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * A redis-server process on the loopback interface. It ends with {@link #close()}, and with this JVM however that ends.
 * Killed and started again, it has its port, its configuration and what its persistence has kept.
 */
public final class EmbeddedRedis implements AutoCloseable {

    private static final String PROGRAM = "redis-server";
    private static final String CONFIGURATION = "redis.conf";
    private static final String REPLICA_OF = "replicaof ";
    private static final int ANSWER_MS = 500;
    private static final long LOOK_MS = 20;
    private static final long START_SECONDS = 15;
    private static final int ATTEMPTS = 5;
    private static final Duration PAUSE = Duration.ofMillis(300);

    private final SupervisedProcess process;
    private final int port;

    private EmbeddedRedis(SupervisedProcess process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server without persistence on a free port; it accepts connections when this returns.
     *
     * @throws NoRedisException when no binary is bundled for this machine, or the server does not start
     */
    static EmbeddedRedis start() {
        if (RedisBinary.forThisMachine().isEmpty()) {
            throw NoRedisException.noBinary();
        }
        try {
            return start(RedisSetup.inMemory(), redis -> {});
        } catch (IllegalStateException failure) {
            throw NoRedisException.notStarted(failure.getCause() instanceof IOException cause ? cause : failure);
        }
    }

    /**
     * Starts a server on a free port; it answers when this returns. On another one when somebody else was faster.
     *
     * @param setup what it is started as
     * @param owner is given each server that is to be closed, before it starts
     * @return the running server; close it
     * @throws IllegalStateException when no binary is bundled for this machine, or the server does not start
     */
    public static EmbeddedRedis start(RedisSetup setup, Consumer<EmbeddedRedis> owner) {
        for (int attempt = 1; ; attempt++) {
            try {
                return start(Loopback.freePort(), setup, owner);
            } catch (IllegalStateException failure) {
                if (attempt == ATTEMPTS || !isPortTaken(failure)) {
                    throw failure;
                }
            }
        }
    }

    /**
     * Starts a server; it answers when this returns.
     *
     * @param port a free port
     * @param setup what it is started as
     * @return the running server; close it
     * @throws IllegalStateException when no binary is bundled for this machine, or the server does not start
     */
    public static EmbeddedRedis start(int port, RedisSetup setup) {
        return start(port, setup, redis -> {});
    }

    /**
     * Starts a server; it answers when this returns.
     *
     * @param port a free port
     * @param setup what it is started as
     * @param owner is given the server before it starts
     * @return the running server; close it
     * @throws IllegalStateException when no binary is bundled for this machine, or the server does not start
     */
    public static EmbeddedRedis start(int port, RedisSetup setup, Consumer<EmbeddedRedis> owner) {
        EmbeddedRedis redis = prepare(port, setup);
        try {
            owner.accept(redis);
            redis.launch();
            return redis;
        } catch (IOException failure) {
            redis.close();
            throw new IllegalStateException("redis-server did not start: " + failure.getMessage(), failure);
        }
    }

    /**
     * Whether a server did not start because of its port.
     *
     * @param failure what {@code start} has thrown
     * @return true when another port may do
     */
    public static boolean isPortTaken(IllegalStateException failure) {
        return String.valueOf(failure.getMessage()).contains("Address already in use");
    }

    /**
     * Where it listens.
     *
     * @return the port, the same after each restart
     */
    public int port() {
        return port;
    }

    /**
     * Where it listens.
     *
     * @return host and port, such as {@code 127.0.0.1:6379}
     */
    public String address() {
        return Loopback.HOST + ":" + port;
    }

    /**
     * Process id of the server, for tests and for the curious.
     *
     * @return that of the newest start
     */
    public long pid() {
        return process.pid();
    }

    /** Its binary, which no other process runs. */
    Path program() {
        return process.directory().resolve(PROGRAM);
    }

    /**
     * Sends the server a signal.
     *
     * @param signal such as {@code STOP}
     */
    public void signal(String signal) {
        try {
            process.signal(signal);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /** Ends the server at once (SIGKILL), as a crash does, and waits until it is gone. */
    public void kill() {
        try {
            process.kill();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    /**
     * Starts a killed server again, and waits until it answers. Again when it ends at once, since a connection of
     * somebody else may have its port for a moment. A server that runs is left alone.
     *
     * @throws IllegalStateException when it does not start
     */
    public void restart() {
        for (int attempt = 1; !process.isRunning(); attempt++) {
            try {
                launch();
            } catch (IOException failure) {
                if (attempt == ATTEMPTS || process.isRunning()) {
                    throw new IllegalStateException("redis-server did not start: " + failure.getMessage(), failure);
                }
                SimulatedWork.lasting(PAUSE);
            }
        }
    }

    /**
     * Starts a killed server again as a copy of another one. As it stays that when it is restarted, it never comes back
     * as a second master.
     *
     * @param masterPort the other server's port
     * @throws IllegalStateException when it does not start
     */
    public void restartAsReplicaOf(int masterPort) {
        Path configuration = process.directory().resolve(CONFIGURATION);
        try {
            List<String> lines = new ArrayList<>(Files.readAllLines(configuration));
            lines.removeIf(line -> line.startsWith(REPLICA_OF));
            lines.add(REPLICA_OF + Loopback.HOST + " " + masterPort);
            Files.write(configuration, lines);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        restart();
    }

    /** Stops the server and waits until it is gone. Harmless when repeated. */
    @Override
    public void close() {
        process.close();
    }

    private static EmbeddedRedis prepare(int port, RedisSetup setup) {
        RedisBinary binary = RedisBinary.forThisMachine().orElseThrow(EmbeddedRedis::noBinary);
        try {
            SupervisedProcess process =
                    SupervisedProcess.prepare("redis", directory -> command(directory, setup), line -> {});
            try {
                write(process.directory(), port, setup);
                binary.extractTo(process.directory().resolve(PROGRAM));
            } catch (IOException failure) {
                process.close();
                throw failure;
            }
            return new EmbeddedRedis(process, port);
        } catch (IOException failure) {
            throw new IllegalStateException("redis-server could not be prepared: " + failure.getMessage(), failure);
        }
    }

    private static IllegalStateException noBinary() {
        return new IllegalStateException("No redis-server is bundled for " + System.getProperty("os.name") + " on "
                + System.getProperty("os.arch"));
    }

    private static List<String> command(Path directory, RedisSetup setup) {
        List<String> command = new ArrayList<>(List.of(
                directory.resolve(PROGRAM).toString(),
                directory.resolve(CONFIGURATION).toString()));
        if (setup.sentinel()) {
            command.add("--sentinel");
        }
        return command;
    }

    private static void write(Path directory, int port, RedisSetup setup) throws IOException {
        List<String> lines = new ArrayList<>(List.of(
                "bind " + Loopback.HOST,
                "port " + port,
                "dir \"" + directory + "\"",
                "logfile \"" + directory.resolve("redis.log") + "\""));
        lines.addAll(setup.directives());
        Files.write(directory.resolve(CONFIGURATION), lines);
        for (Map.Entry<String, String> file : setup.files().entrySet()) {
            Files.writeString(directory.resolve(file.getKey()), file.getValue());
        }
    }

    /**
     * Again when it ends before it logs anything: a program that this JVM starts at the same moment may have the binary
     * open for writing, and such a file cannot be executed.
     */
    private void launch() throws IOException {
        for (int attempt = 1; ; attempt++) {
            try {
                launchOnce();
                return;
            } catch (IOException failure) {
                if (attempt == ATTEMPTS || process.isRunning() || Files.exists(logFile())) {
                    throw failure;
                }
                pause();
            }
        }
    }

    private void launchOnce() throws IOException {
        process.start();
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(START_SECONDS);
        while (!answers()) {
            if (!process.isRunning() || System.nanoTime() > deadline) {
                throw new IOException("redis-server does not answer at " + address() + ":\n" + log());
            }
            pause();
        }
    }

    /** Not while it loads its append-only file. */
    private boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
            socket.setSoTimeout(ANSWER_MS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            BufferedReader answer =
                    new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.US_ASCII));
            return "+PONG".equals(answer.readLine());
        } catch (IOException notYet) {
            return false;
        }
    }

    private String log() throws IOException {
        return Files.exists(logFile()) ? Files.readString(logFile()) : "it has logged nothing";
    }

    private Path logFile() {
        return process.directory().resolve("redis.log");
    }

    private static void pause() throws IOException {
        try {
            Thread.sleep(LOOK_MS);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
            throw new IOException("Interrupted while redis-server started", interrupt);
        }
    }
}
