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
 * One connection of a {@link TcpProxy}: a thread for each direction. {@code taken} is the loss of a reply that this
 * connection carries out; it is set before its request is forwarded, so no reply to that can slip through. {@code half}
 * is set before one side is closed alone, so that the other one stays open.
 */
public final class ProxyLink {

    /** The server answers in order: when it has answered something and then keeps still, it has answered everything. */
    private static final int QUIET_MILLIS = 60;

    private static final String SUBSCRIBE = "SUBSCRIBE";

    private final Socket client;
    private final Socket server;
    private final TcpProxy.Faults faults;
    private final Set<ProxyLink> links;
    private final AtomicReference<@Nullable Taken> taken = new AtomicReference<>();
    private volatile boolean subscribed;
    private volatile boolean half;

    /** The request whose reply is lost, and the loss to report. */
    private record Taken(String request, TcpProxy.ReplyDrop drop) {}

    ProxyLink(Socket client, Socket server, TcpProxy.Faults faults, Set<ProxyLink> links) {
        this.client = client;
        this.server = server;
        this.faults = faults;
        this.links = links;
    }

    void start() {
        links.add(this);
        startThread("requests", this::forwardRequests);
        startThread("replies", this::forwardReplies);
    }

    /** Closes both sides. */
    public void close() {
        links.remove(this);
        TcpProxy.closeQuietly(client);
        TcpProxy.closeQuietly(server);
    }

    /** Closes the side of the client: to the server, the connection stays open and silent until {@link #close}. */
    public void closeToClient() {
        half = true;
        TcpProxy.closeQuietly(client);
    }

    /** Closes the side of the server: to the client, the connection stays open and silent until {@link #close}. */
    public void closeToServer() {
        half = true;
        TcpProxy.closeQuietly(server);
    }

    /** Resets the side of the client (RST): to the server, the connection stays open and silent. */
    public void resetToClient() {
        half = true;
        reset(client);
    }

    /** Resets the side of the server (RST): to the client, the connection stays open and silent. */
    public void resetToServer() {
        half = true;
        reset(server);
    }

    /** Ends the replies (FIN): what the client sends still reaches the server until {@link #close}. */
    public void endReplies() {
        half = true;
        endOutput(client);
    }

    /** Ends the requests (FIN): what the server still sends reaches the client until {@link #close}. */
    public void endRequests() {
        half = true;
        endOutput(server);
    }

    private static void reset(Socket socket) {
        try {
            socket.setSoLinger(true, 0);
        } catch (SocketException e) {
            // It is closed already.
        }
        TcpProxy.closeQuietly(socket);
    }

    private static void endOutput(Socket socket) {
        try {
            socket.shutdownOutput();
        } catch (IOException e) {
            // It is closed already.
        }
    }

    /** Whether the client has subscribed on this connection. */
    public boolean isSubscription() {
        return subscribed;
    }

    /** From which port of the proxy's machine the server sees this connection come. */
    public int portAtServer() {
        return server.getLocalPort();
    }

    private void startThread(String direction, Forwarding forwarding) {
        Thread thread = new Thread(
                () -> {
                    try {
                        forwarding.run();
                    } catch (IOException e) {
                        // Either side is gone; so is the other, now.
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
        for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
            faults.requests.pass();
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
            // Quiet: everything has been answered.
        }
    }

    /** One direction. */
    private interface Forwarding {
        void run() throws IOException;
    }
}
