package io.github.lockstarter.sample.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;

/** The interface on which everything listens that the sample starts: reachable from this machine only. */
public final class Loopback {

    /** Its address. */
    public static final String HOST = "127.0.0.1";

    private static final int CONNECT_TIMEOUT_MS = 500;

    private Loopback() {}

    /**
     * A port on which nothing listens.
     *
     * @return the port; somebody else may be faster to use it
     */
    public static int freePort() {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        } catch (IOException failure) {
            throw new UncheckedIOException("There is no free port on " + HOST, failure);
        }
    }

    /**
     * Whether something accepts connections there.
     *
     * @param port the port
     * @return true if a connection was accepted just now
     */
    public static boolean isListening(int port) {
        return isListening(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
    }

    /**
     * Whether something accepts connections there.
     *
     * @param address host and port, here or elsewhere
     * @return true if a connection was accepted just now
     */
    public static boolean isListening(InetSocketAddress address) {
        try (Socket socket = new Socket()) {
            socket.connect(address, CONNECT_TIMEOUT_MS);
            return true;
        } catch (IOException nobodyThere) {
            return false;
        }
    }
}
