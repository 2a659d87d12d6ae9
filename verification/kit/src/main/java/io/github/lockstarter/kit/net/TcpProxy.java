package io.github.lockstarter.kit.net;

import io.github.lockstarter.kit.process.Patience;
import io.github.lockstarter.kit.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Stands between a client and a server and damages what passes: cuts, refuses, stalls, loses a reply after the server
 * has executed the request. Thread-safe; faults apply to open and to new connections.
 *
 * <p>Called by tests from any thread; one thread accepts, two per connection forward. Mutable state: {@code listener}
 * (closed while connections are refused), {@code links} and {@code faults}. The monitor guards {@code listener} only.
 */
public final class TcpProxy implements AutoCloseable {

    private final InetSocketAddress target;
    private final int port;
    private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();
    private final Faults faults = new Faults();
    private ServerSocket listener;

    private TcpProxy(InetSocketAddress target, int port) {
        this.target = target;
        this.port = port;
        this.listener = listen();
    }

    /** Starts a proxy in front of a server; close it. */
    public static TcpProxy before(ServerProcess server) {
        return before(server.host(), server.port());
    }

    /** Starts a proxy in front of a server; close it. */
    public static TcpProxy before(String host, int port) {
        return new TcpProxy(new InetSocketAddress(host, port), FreePort.next());
    }

    /** Port for the clients, the same for the whole life of the proxy. */
    public int port() {
        return port;
    }

    /** Address for the clients: loopback. */
    public String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    /** Host and port for the clients, with a colon between them. */
    public String address() {
        return host() + ':' + port;
    }

    /** How many connections are open. */
    public int connections() {
        return links.size();
    }

    /** The connections that are open at this moment. */
    public List<ProxyLink> open() {
        return List.copyOf(links);
    }

    /** Closes all connections; new ones are accepted as before. */
    public void cut() {
        links.forEach(ProxyLink::close);
    }

    /** Refuses new connections; open ones go on. */
    public synchronized void refuse() {
        closeQuietly(listener);
    }

    /**
     * Closes each connection on which such a request is sent, in place of forwarding it, until {@link #accept}.
     *
     * @param request matches what a client sends in one piece, as ISO 8859-1
     */
    public void refuseRequests(Predicate<String> request) {
        faults.refused = request;
    }

    /** Accepts connections, and all requests, again. */
    public synchronized void accept() {
        faults.refused = any -> false;
        if (listener.isClosed()) {
            listener = listen();
        }
    }

    /** Holds requests back: the server does not receive them until {@link #flow}. */
    public void stallRequests() {
        faults.requests.shut();
    }

    /** Holds replies back: the server executes requests, and clients do not receive the replies until {@link #flow}. */
    public void stallReplies() {
        faults.replies.shut();
    }

    /** Forwards each piece that clients send after this time, as a slow network does. */
    public void delayRequests(Duration latency) {
        faults.latency = latency;
    }

    /** Ends all stalling, and forwards everything that was held back. */
    public void flow() {
        faults.requests.open();
        faults.replies.open();
    }

    /**
     * Lets the next matching request through, waits until the server has answered, and cuts the connection in place of
     * the answer. Once.
     *
     * @param request matches what a client sends in one piece, as ISO 8859-1
     * @return completed with the request after the connection was cut
     */
    public CompletableFuture<String> dropReplyTo(Predicate<String> request) {
        ReplyDrop armed = new ReplyDrop(request, new CompletableFuture<>());
        faults.drop.set(armed);
        return armed.done();
    }

    @Override
    public void close() {
        refuse();
        cut();
        flow();
    }

    private boolean isFree() {
        try (ServerSocket probe = new ServerSocket()) {
            probe.setReuseAddress(true);
            probe.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private ServerSocket listen() {
        Patience.until(this::isFree); // another search for a free port may occupy it for a moment
        try {
            ServerSocket socket = new ServerSocket();
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            Thread thread = new Thread(() -> acceptFrom(socket), "tcp-proxy-" + port);
            thread.setDaemon(true);
            thread.start();
            return socket;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not listen on port " + port, e);
        }
    }

    private void acceptFrom(ServerSocket socket) {
        while (!socket.isClosed()) {
            try {
                Socket client = socket.accept();
                if (socket.isClosed()) {
                    closeQuietly(client); // it came while the proxy began to refuse
                } else {
                    link(client);
                }
            } catch (IOException e) {
                // Closed by refuse(), or the client was gone already.
            }
        }
    }

    private void link(Socket client) {
        Socket server = new Socket();
        try {
            server.connect(target, 1_000);
            // Else the kernel holds a small piece back until the one before is acknowledged, for up to 40 ms.
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            new ProxyLink(client, server, faults, links).start();
        } catch (IOException e) {
            // As a client sees a server that is down.
            closeQuietly(client);
            closeQuietly(server);
        }
    }

    static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // It is closed as far as it can be.
        }
    }

    /** What is wrong with the network at the moment. */
    static final class Faults {

        /** Shut while requests are stalled. */
        final Gate requests = new Gate();

        /** Shut while replies are stalled. */
        final Gate replies = new Gate();

        /** The armed loss of a reply, taken by the first connection that sees the request. */
        final AtomicReference<@Nullable ReplyDrop> drop = new AtomicReference<>();

        /** Matches the requests on which a connection is closed. */
        volatile Predicate<String> refused = request -> false;

        /** Time after which a request is forwarded. */
        volatile Duration latency = Duration.ZERO;
    }

    /**
     * An armed loss of a reply.
     *
     * @param request matches the request
     * @param done completed when the connection was cut
     */
    record ReplyDrop(Predicate<String> request, CompletableFuture<String> done) {}
}
