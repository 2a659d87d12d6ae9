package io.github.lockstarter.sample.redis;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A redis-server process on a free port of the loopback interface, without persistence. It ends with {@link #close()},
 * and with this JVM however that ends: a shell script watches a pipe from this process ({@code supervise.sh}).
 */
final class EmbeddedRedis implements AutoCloseable {

    /** The only address it listens on. */
    static final String HOST = "127.0.0.1";

    private static final String READY = "ready ";
    private static final long STOP_SECONDS = 10;

    private final Process supervisor;
    private final int port;
    private final long pid;

    private EmbeddedRedis(Process supervisor, int port, long pid) {
        this.supervisor = supervisor;
        this.port = port;
        this.pid = pid;
    }

    /**
     * Starts the server; it accepts connections when this returns.
     *
     * @throws NoRedisException when no binary is bundled for this machine, or the server does not start
     */
    static EmbeddedRedis start() {
        RedisBinary binary = RedisBinary.forThisMachine().orElseThrow(NoRedisException::noBinary);
        try {
            Path directory = Files.createTempDirectory("lock-sample-redis-");
            binary.extractTo(directory.resolve("redis-server"));
            return start(directory, freePort());
        } catch (IOException failure) {
            throw NoRedisException.notStarted(failure);
        }
    }

    int port() {
        return port;
    }

    /** Process id of the server, for tests and for the curious. */
    long pid() {
        return pid;
    }

    /** Stops the server and waits until it is gone. Harmless when repeated. */
    @Override
    public void close() {
        try {
            supervisor.getOutputStream().close();
            if (!supervisor.waitFor(STOP_SECONDS, TimeUnit.SECONDS)) {
                throw new IllegalStateException("redis-server (pid " + pid + ") did not stop within " + STOP_SECONDS
                        + "s; end it by hand: kill -9 " + pid);
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("Could not tell redis-server (pid " + pid + ") to stop", failure);
        } catch (InterruptedException interrupt) {
            Thread.currentThread().interrupt();
        }
    }

    private static EmbeddedRedis start(Path directory, int port) throws IOException {
        Path script = directory.resolve("supervise.sh");
        try (InputStream content = EmbeddedRedis.class.getResourceAsStream("supervise.sh")) {
            if (content == null) {
                throw new IOException("No supervise.sh on the class path");
            }
            Files.copy(content, script);
        }
        Process supervisor = new ProcessBuilder(
                        "/bin/sh", script.toString(), directory.toString(), Integer.toString(port))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        BufferedReader output =
                new BufferedReader(new InputStreamReader(supervisor.getInputStream(), StandardCharsets.UTF_8));
        String line = output.readLine();
        if (line == null || !line.startsWith(READY)) {
            throw new IOException("redis-server did not listen on " + HOST + ":" + port + "; its log is in " + directory
                    + "/redis.log");
        }
        return new EmbeddedRedis(supervisor, port, Long.parseLong(line.substring(READY.length())));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }
}
