package io.github.lockstarter.benchmarks.server;

import io.lettuce.core.RedisURI;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/**
 * A {@code redis-server} on a free port of the loopback interface, without persistence: the binary that travels in the
 * {@code embedded-redis} jar.
 */
public final class RedisProcess implements StoreServer {

    private final GuardedProcess process;
    private final LoopbackPort port;

    private RedisProcess(GuardedProcess process, LoopbackPort port) {
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
            LoopbackPort port = LoopbackPort.free();
            List<String> command = List.of(
                    RedisBinary.unpackTo(directory).toString(),
                    "--port",
                    Integer.toString(port.number()),
                    "--bind",
                    LoopbackPort.HOST,
                    "--save",
                    "",
                    "--dir",
                    directory.toString());
            return new RedisProcess(GuardedProcess.start(directory, command, port), port);
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
        return RedisURI.create(LoopbackPort.HOST, port.number());
    }

    /**
     * Whether the server runs.
     *
     * @return false once it has ended
     */
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public String address() {
        return port.address();
    }

    @Override
    public String description() {
        try (ServerObserver observer = new ServerObserver(uri())) {
            return observer.version() + ", same machine, no persistence";
        }
    }

    @Override
    public Duration cpuTime() {
        return process.cpuTime();
    }

    /** {@code used_memory}. */
    @Override
    public long dataSize() {
        try (ServerObserver observer = new ServerObserver(uri())) {
            return observer.memory();
        }
    }

    /** Nothing: what is deleted is gone. */
    @Override
    public void compact() {}

    @Override
    public void close() {
        process.close();
    }
}
