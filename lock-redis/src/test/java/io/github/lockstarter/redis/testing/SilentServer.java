package io.github.lockstarter.redis.testing;

import io.github.lockstarter.testing.FreePort;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A server that accepts connections and answers nothing, as one that hangs. Thread-safe; one thread accepts, and one
 * reads from each connection until the client closes it.
 */
public final class SilentServer implements AutoCloseable {

    private final ServerSocket listener;
    private final Set<Socket> connections = ConcurrentHashMap.newKeySet();

    private SilentServer(ServerSocket listener) {
        this.listener = listener;
    }

    /**
     * Starts a server on the loopback address.
     *
     * @return the server; close it
     */
    public static SilentServer start() {
        try {
            SilentServer server =
                    new SilentServer(new ServerSocket(FreePort.next(), 50, InetAddress.getLoopbackAddress()));
            background(server::accept);
            return server;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /**
     * Where clients connect to.
     *
     * @return the loopback address
     */
    public String host() {
        return listener.getInetAddress().getHostAddress();
    }

    /**
     * Where clients connect to.
     *
     * @return the port
     */
    public int port() {
        return listener.getLocalPort();
    }

    /**
     * How many connections are open.
     *
     * @return zero or more
     */
    public int connections() {
        return connections.size();
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket connection = listener.accept();
                connections.add(connection);
                background(() -> readToTheEnd(connection));
            } catch (IOException e) {
                // Closed, which ends the loop.
            }
        }
    }

    private void readToTheEnd(Socket connection) {
        try (connection) {
            connection.getInputStream().transferTo(OutputStream.nullOutputStream());
        } catch (IOException e) {
            // Closed from either side.
        } finally {
            connections.remove(connection);
        }
    }

    private static void background(Runnable work) {
        Thread thread = new Thread(work, "silent-server");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() {
        try {
            listener.close();
            for (Socket connection : connections) {
                connection.close();
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
