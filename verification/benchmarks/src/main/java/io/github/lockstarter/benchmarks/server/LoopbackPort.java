package io.github.lockstarter.benchmarks.server;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.function.BooleanSupplier;

/**
 * A port of the loopback interface.
 *
 * @param number the port
 */
record LoopbackPort(int number) {

    static final String HOST = "127.0.0.1";

    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final int CONNECT_MILLIS = 200;

    /** One on which nothing listens. */
    static LoopbackPort free() throws IOException {
        try (ServerSocket probe = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new LoopbackPort(probe.getLocalPort());
        }
    }

    /** Host and port. */
    String address() {
        return HOST + ":" + number;
    }

    /**
     * Waits until a server accepts connections.
     *
     * @throws IllegalStateException when it has ended, or takes too long
     */
    void waitUntilOpen(BooleanSupplier serverIsAlive) {
        long end = System.nanoTime() + PATIENCE.toNanos();
        while (!accepts()) {
            if (!serverIsAlive.getAsBoolean() || System.nanoTime() - end > 0) {
                throw new IllegalStateException("No server answers on port " + number);
            }
            Thread.onSpinWait();
        }
    }

    boolean accepts() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), number), CONNECT_MILLIS);
            return true;
        } catch (IOException e) {
            return false;
        }
    }
}
