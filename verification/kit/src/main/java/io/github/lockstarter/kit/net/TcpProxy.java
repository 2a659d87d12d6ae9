package io.github.lockstarter.kit.net;

import io.github.lockstarter.kit.process.Polling;
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
 * A proxy between clients and a server that cuts, refuses, stalls, forgets, and drops a reply after the server has
 * executed the request. Faults apply to open and new connections. Thread-safe.
 *
 * <p>One thread accepts connections, two per connection forward. Mutable state: {@code listener} (closed while
 * refusing, guarded by the monitor), {@code target}, {@code links} and {@code faults}.
 */
public final class TcpProxy implements AutoCloseable {

    private volatile InetSocketAddress target;
    private final int port;
    private final Set<ProxyLink> links = ConcurrentHashMap.newKeySet();
    private final Faults faults = new Faults();
    private ServerSocket listener;

    private TcpProxy(InetSocketAddress target, int port) {
        this.target = target;
        this.port = port;
        this.listener = listen();
    }

    public static TcpProxy before(ServerProcess server) {
        return before(server.host(), server.port());
    }

    public static TcpProxy before(String host, int port) {
        return new TcpProxy(new InetSocketAddress(host, port), FreePort.next());
    }

    /** Returns the port for clients, which never changes. */
    public int port() {
        return port;
    }

    public String host() {
        return InetAddress.getLoopbackAddress().getHostAddress();
    }

    public String address() {
        return host() + ':' + port;
    }

    public int connections() {
        return links.size();
    }

    public List<ProxyLink> open() {
        return List.copyOf(links);
    }

    /** Closes all connections; accepts new ones. */
    public void cut() {
        links.forEach(ProxyLink::close);
    }

    /** Forwards nothing over the open connections any more, and closes none: a firewall has forgotten them. */
    public void forget() {
        links.forEach(ProxyLink::forget);
    }

    /** The server hangs: forwards nothing over open and new connections, until {@link #replace}. */
    public void hang() {
        faults.hung = true;
        forget();
    }

    /** Another server takes new connections; those from before remain open and forgotten. */
    public void replace() {
        faults.hung = false;
    }

    /** Forwards new connections to another server; open ones continue. */
    public void retarget(ServerProcess server) {
        target = new InetSocketAddress(server.host(), server.port());
    }

    /** Refuses new connections; open ones continue. */
    public synchronized void refuse() {
        closeQuietly(listener);
    }

    /**
     * Closes a connection in place of forwarding a matching request, until {@link #accept}.
     *
     * @param request matches one read of the client's data, as ISO 8859-1
     */
    public void refuseRequests(Predicate<String> request) {
        faults.refused = request;
    }

    /** Ends all refusals. */
    public synchronized void accept() {
        faults.refused = any -> false;
        if (listener.isClosed()) {
            listener = listen();
        }
    }

    /** Stops forwarding requests until {@link #flow}. */
    public void stallRequests() {
        faults.requests.shut();
    }

    /** Stops forwarding replies until {@link #flow}; the server still executes requests. */
    public void stallReplies() {
        faults.replies.shut();
    }

    /** Delays each request. */
    public void delayRequests(Duration latency) {
        faults.latency = latency;
    }

    /** Ends all stalls, and forwards the delayed data. */
    public void flow() {
        faults.requests.open();
        faults.replies.open();
    }

    /**
     * Forwards the next matching request, waits for its reply, and closes the connection in place of forwarding it.
     * Once.
     *
     * @param request as in {@link #refuseRequests}
     * @return completes with the request after the connection was closed
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
        Polling.until(this::isFree); // another search for a free port may briefly occupy it
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
                    closeQuietly(client); // accepted while the proxy started to refuse
                } else {
                    link(client);
                }
            } catch (IOException e) {
                // Closed by refuse(), or the client has disconnected.
            }
        }
    }

    private void link(Socket client) {
        Socket server = new Socket();
        try {
            server.connect(target, 20_000);
            // Nagle's algorithm would delay small packets by up to 40 ms.
            client.setTcpNoDelay(true);
            server.setTcpNoDelay(true);
            new ProxyLink(client, server, faults, links).start();
        } catch (IOException e) {
            // The client sees a server that is down.
            closeQuietly(client);
            closeQuietly(server);
        }
    }

    static void closeQuietly(AutoCloseable closeable) {
        try {
            closeable.close();
        } catch (Exception e) {
            // Nothing more to do.
        }
    }

    static final class Faults {

        final Gate requests = new Gate();

        final Gate replies = new Gate();

        /** Set to null by the first connection with a matching request. */
        final AtomicReference<@Nullable ReplyDrop> drop = new AtomicReference<>();

        volatile Predicate<String> refused = request -> false;

        volatile Duration latency = Duration.ZERO;

        volatile boolean hung;
    }

    record ReplyDrop(Predicate<String> request, CompletableFuture<String> done) {}
}
