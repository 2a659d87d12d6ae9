package io.github.lockstarter.kit.net;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * One connection of a {@link TcpProxy}, with a thread for each direction. {@code taken} is set before the request is
 * forwarded, so its reply cannot pass. {@code half} is set before one side is closed, so the other one stays open.
 * {@code forgotten} is never unset.
 */
public final class ProxyLink {

    /** A server that is silent for this long after a reply has answered all requests, since it answers in order. */
    private static final int QUIET_MILLIS = 60;

    private static final String SUBSCRIBE = "SUBSCRIBE";

    private final Socket client;
    private final Socket server;
    private final TcpProxy.Faults faults;
    private final Set<ProxyLink> links;
    private final AtomicReference<@Nullable Taken> taken = new AtomicReference<>();
    private volatile boolean subscribed;
    private volatile boolean half;
    private volatile boolean forgotten;

    private record Taken(String request, TcpProxy.ReplyDrop drop) {}

    ProxyLink(Socket client, Socket server, TcpProxy.Faults faults, Set<ProxyLink> links) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.links = links;
    }

    void start() {
        links.add(this);
        if (faults.hung) {
            forget();
        }
        startThread("requests", this::forwardRequests);
        startThread("replies", this::forwardReplies);
    }

    public void close() {
        links.remove(this);
        TcpProxy.closeQuietly(client);
        TcpProxy.closeQuietly(server);
    }

    /** Discards all further bytes, as a firewall that has forgotten the connection, until the client closes it. */
    public void forget() {
        half = true;
        forgotten = true;
    }

    /** Closes only the client's side. */
    public void closeToClient() {
        half = true;
        TcpProxy.closeQuietly(client);
    }

    /** Closes only the server's side. */
    public void closeToServer() {
        half = true;
        TcpProxy.closeQuietly(server);
    }

    /** Resets only the client's side (RST). */
    public void resetToClient() {
        half = true;
        reset(client);
    }

    /** Resets only the server's side (RST). */
    public void resetToServer() {
        half = true;
        reset(server);
    }

    /** Sends FIN to the client; requests still reach the server until {@link #close}. */
    public void endReplies() {
        half = true;
        endOutput(client);
    }

    /** Sends FIN to the server; replies still reach the client until {@link #close}. */
    public void endRequests() {
        half = true;
        endOutput(server);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // Already closed.
        }
        TcpProxy.closeQuietly(socket);
    }

    private static void endOutput(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // Already closed.
        }
    }

    public boolean isSubscription() {
        return subscribed;
    }

    /** The client port that the server sees. */
    public int portAtServer() {
        return server.getLocalPort();
    }

    private void startThread(String direction, Forwarding forwarding) {
        Thread thread = new Thread(
                () -> {
                    try {
                        forwarding.run();
                    } catch (IOException e) {
                        // One side has ended.
                    } finally {
                        if (!half) {
                            close();
                        }
                    }
                },
                "tcp-proxy-" + direction + "-" + client.getPort());
        thread.setDaemon(true);
        thread.start();
    }

    private void forwardRequests() throws IOException {
        InputStream in = client.getInputStream();
        OutputStream out = server.getOutputStream();
        byte[] buffer = new byte[65_536];
        try {
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                faults.requests.pass();
                if (forgotten) {
                    continue;
                }
                LockSupport.parkNanos(faults.latency.toNanos());
                String request = new String(buffer, 0, length, StandardCharsets.ISO_8859_1);
                if (faults.refused.test(request)) {
                    return;
                }
                subscribed |= request.contains(SUBSCRIBE);
                takeDrop(request);
                out.write(buffer, 0, length);
                out.flush();
            }
        } finally {
            if (forgotten) {
                close();
            }
        }
    }

    private void takeDrop(String request) {
        TcpProxy.ReplyDrop drop = faults.drop.get();
        if (drop != null && drop.request().test(request) && faults.drop.compareAndSet(drop, null)) {
            taken.set(new Taken(request, drop));
        }
    }

    private void forwardReplies() throws IOException {
        InputStream in = server.getInputStream();
        OutputStream out = client.getOutputStream();
        byte[] buffer = new byte[65_536];
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            faults.replies.pass();
            if (forgotten) {
                continue;
            }
            Taken lost = taken.get();
            if (lost != null) {
                discardTheRest(in, buffer);
                close();
                lost.drop().done().complete(lost.request());
                return;
            }
            out.write(buffer, 0, length);
            out.flush();
        }
    }

    private void discardTheRest(InputStream in, byte[] buffer) throws IOException {
        server.setSoTimeout(QUIET_MILLIS);
        try {
            for (int length = 0; length >= 0; ) {
                length = in.read(buffer);
            }
        } catch (SocketTimeoutException e) {
            // All requests have been answered.
        }
    }

    private interface Forwarding {
        void run() throws IOException;
    }
}
