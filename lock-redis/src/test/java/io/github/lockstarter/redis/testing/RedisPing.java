package io.github.lockstarter.redis.testing;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;

/** Asks a server whether it is there, without a client that would keep trying. */
final class RedisPing {

    private static final int PATIENCE_MILLIS = 500;

    private RedisPing() {}

    static boolean answers(String host, int port) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host, port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
            return reply.startsWith("+PONG") || reply.startsWith("-NOAU") || reply.startsWith("-NOPE");
        } catch (IOException e) {
            return false;
        }
    }
}
