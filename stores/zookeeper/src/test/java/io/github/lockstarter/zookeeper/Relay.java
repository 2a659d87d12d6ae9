package io.github.lockstarter.zookeeper;

import io.github.lockstarter.testing.FreePort;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** What lies between a client and a server, and may swallow what they send. Thread-safe. */
final class Relay implements AutoCloseable {

    private final int target;
    private final ServerSocket listener;
    private final List<Socket> sockets = new CopyOnWriteArrayList<>();
    private volatile boolean swallowsRequests;
    private volatile boolean swallowsAnswers;
    private volatile boolean refuses;

    Relay(int target) {
        this.target = target;
        try {
            this.listener = new ServerSocket(FreePort.next(), 50, InetAddress.getLoopbackAddress());
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
        start(this::accept);
    }

    String address() {
        return "127.0.0.1:" + listener.getLocalPort();
    }

    /** Nothing goes through, and nobody is told: as when a cable is pulled. */
    void cut() {
        refuses = true;
        swallowsRequests = true;
        swallowsAnswers = true;
    }

    /** Requests reach the server, and answers get lost. */
    void swallowAnswers() {
        swallowsAnswers = true;
    }

    /** Ends each connection, and accepts none. */
    void breakConnections() {
        refuses = true;
        sockets.forEach(Relay::end);
    }

    /** Ends what is left of connections that were cut, and lets new ones through. */
    void heal() {
        refuses = true;
        sockets.forEach(Relay::end);
        sockets.clear();
        swallowsRequests = false;
        swallowsAnswers = false;
        refuses = false;
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (refuses) {
                    end(client);
                } else {
                    connect(client);
                }
            } catch (IOException e) {
                // Closed, or the server is away: the client tries again.
            }
        }
    }

    private void connect(Socket client) throws IOException {
        sockets.add(client);
        try {
            Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
            sockets.add(server);
            start(() -> pump(client, server, true));
            start(() -> pump(server, client, false));
        } catch (IOException e) {
            end(client);
            throw e;
        }
    }

    private void pump(Socket from, Socket to, boolean areRequests) {
        byte[] buffer = new byte[8192];
        try (from;
                to) {
            InputStream input = from.getInputStream();
            OutputStream output = to.getOutputStream();
            for (int read = input.read(buffer); read >= 0; read = input.read(buffer)) {
                if (!(areRequests ? swallowsRequests : swallowsAnswers)) {
                    output.write(buffer, 0, read);
                    output.flush();
                }
            }
        } catch (IOException e) {
            // Ended by either side.
        }
    }

    private static void start(Runnable work) {
        Thread thread = new Thread(work, "relay");
        thread.setDaemon(true);
        thread.start();
    }

    private static void end(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // It has ended.
        }
    }

    @Override
    public void close() {
        breakConnections();
        try {
            listener.close();
        } catch (IOException e) {
            // It has ended.
        }
    }
}
