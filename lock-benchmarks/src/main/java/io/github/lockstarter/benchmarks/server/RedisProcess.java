package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * A {@code redis-server} on a free port of the loopback interface, without persistence: the binary that travels in the
 * {@code embedded-redis} jar. It ends with {@link #close}, and with this JVM however that ends: a shell that holds the
 * other end of a pipe from here kills it.
 */
public final class RedisProcess implements AutoCloseable {

    private static final String HOST = "127.0.0.1";
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /**
     * Becomes the command; leaves a guard behind that waits for the end of standard input, then kills and tidies up.
     */
    private static final String GUARD = "exec 3<&0; directory=$1; shift;"
            + " (read -r _; kill -9 $$; rm -rf \"$directory\") <&3 >/dev/null 2>&1 & exec \"$@\" </dev/null 3<&-";

    private final Process process;
    private final int port;

    private RedisProcess(Process process, int port) {
        this.process = process;
        this.port = port;
    }

    /**
     * Starts a server and waits until it accepts connections.
     *
     * @return the server; close it
     */
    public static RedisProcess start() {
        try {
            Path directory = Files.createTempDirectory("lock-benchmarks-redis-");
            int port = freePort();
            List<String> command = List.of(
                    "sh",
                    "-c",
                    GUARD,
                    "guard",
                    directory.toString(),
                    RedisBinary.unpackTo(directory).toString(),
                    "--port",
                    Integer.toString(port),
                    "--bind",
                    HOST,
                    "--save",
                    "",
                    "--dir",
                    directory.toString());
            RedisProcess server = new RedisProcess(launch(command), port);
            server.awaitReady();
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start redis-server", e);
        }
    }

    /**
     * Where it listens.
     *
     * @return host and port
     */
    public RedisURI uri() {
        return RedisURI.create(HOST, port);
    }

    /**
     * Whether the server runs.
     *
     * @return false once it has ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    /** Kills the server; its guard removes its files. */
    @Override
    public void close() {
        process.destroyForcibly();
        try {
            process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private void awaitReady() {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!accepts()) {
            if (!process.isAlive() || System.nanoTime() - end > 0) {
                close();
                throw new IllegalStateException("redis-server does not answer on port " + port);
            }
            Thread.onSpinWait();
        }
    }

    private boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), 200);
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static Process launch(List<String> command) throws IOException {
        return new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
    }

    private static int freePort() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        }
    }
}
