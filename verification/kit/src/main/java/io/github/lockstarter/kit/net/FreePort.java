package io.github.lockstarter.kit.net;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Ports for servers that come back on the same port. Below the range from which the system takes the ports of outgoing
 * connections: otherwise a client that keeps calling a server that is down can end up connected to itself.
 */
public final class FreePort {

    private static final int LOWEST = 12_000;
    private static final int BEYOND = 30_000;

    private FreePort() {}

    /** A port on which nothing listens at this moment. */
    public static int next() {
        while (true) {
            int port = ThreadLocalRandom.current().nextInt(LOWEST, BEYOND);
            try (ServerSocket probe = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
                return probe.getLocalPort();
            } catch (IOException e) {
                // Taken: the next one.
            }
        }
    }
}
