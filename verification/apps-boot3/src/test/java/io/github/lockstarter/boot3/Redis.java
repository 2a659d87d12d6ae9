package io.github.lockstarter.boot3;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import redis.embedded.RedisServer;

/** A real Redis of its own for one test class. */
final class Redis implements AutoCloseable {

    private final int port = freePort();
    private final RedisServer server = RedisServer.builder()
            .port(port)
            .bind("127.0.0.1")
            .setting("save \"\"")
            .setting("appendonly no")
            .build();

    Redis() {
        server.start();
    }

    int port() {
        return port;
    }

    static int freePort() {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return probe.getLocalPort();
        } catch (IOException e) {
            throw new IllegalStateException("Could not find a free port", e);
        }
    }

    @Override
    public void close() {
        server.stop();
    }
}
