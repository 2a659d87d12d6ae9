package io.github.lockstarter.kit.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that restart on the same port. Outside the range of ephemeral ports: a client that keeps calling a
 * stopped server could otherwise connect to itself.
 */
public final class FreePort {

    private static final int LOWEST = 12_000;
    private static final int BEYOND = 30_000;

    private FreePort() {}

    public static int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // In use: try the next one.
            }
        }
    }
}
