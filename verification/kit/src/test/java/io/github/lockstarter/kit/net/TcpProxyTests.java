package io.github.lockstarter.kit.net;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class TcpProxyTests {

    private static final int PATIENCE_MILLIS = 30_000;

    private final List<String> executed = new CopyOnWriteArrayList<>();

    /** How many connections have ended, as the server sees it. */
    private final AtomicInteger ends = new AtomicInteger();

    private ServerSocket server;
    private TcpProxy proxy;

    @BeforeEach
    void startAServerThatRepeatsWhatItHears() throws IOException {
        server = new ServerSocket(0, 10, InetAddress.getLoopbackAddress());
        daemon(() -> {
            while (true) {
                Socket socket = server.accept();
                daemon(() -> repeat(socket));
            }
        });
        proxy = TcpProxy.before(server.getInetAddress().getHostAddress(), server.getLocalPort());
    }

    @AfterEach
    void closeAll() throws IOException {
        proxy.close();
        server.close();
    }

    @Test
    void forgetsOpenConnectionsWithoutTellingEitherSide() throws IOException {
        try (Socket first = connect()) {
            ask(first, "a");
            proxy.forget();
            first.setSoTimeout(Patience.MOMENT_MILLIS);
            assertThatThrownBy(() -> ask(first, "b")).isInstanceOf(SocketTimeoutException.class);
            try (Socket second = connect()) {
                ask(second, "c");
            }
            assertThat(executed).containsExactly("a", "c");
        }
        await().untilAsserted(() -> assertThat(proxy.connections()).isZero());
    }

    @Test
    void cutsOpenConnectionsAndAcceptsNewOnes() throws IOException {
        try (Socket first = connect()) {
            ask(first, "a");
            proxy.cut();
            assertThat(endOfInput(first)).isTrue();
            assertThat(proxy.connections()).isZero();
            try (Socket second = connect()) {
                assertThat(ask(second, "b")).isEqualTo("b");
            }
        }
    }

    @Test
    void refusesNewConnectionsUntilItAcceptsAgain() throws IOException {
        proxy.refuse();
        await().atMost(Patience.TIME)
                .untilAsserted(() -> assertThatThrownBy(this::connect).isInstanceOf(ConnectException.class));

        proxy.accept();
        try (Socket client = connect()) {
            assertThat(ask(client, "a")).isEqualTo("a");
        }
    }

    @Test
    void stallsRequestsBeforeTheServerSeesThem() throws IOException {
        try (Socket client = connect()) {
            proxy.stallRequests();
            assertUnanswered(client, "a");
            assertThat(executed).isEmpty();

            proxy.flow();
            assertThat(readLine(client)).isEqualTo("a");
        }
    }

    @Test
    void stallsRepliesAfterTheServerHasExecuted() throws IOException {
        try (Socket client = connect()) {
            proxy.stallReplies();
            assertUnanswered(client, "a");
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(executed).containsExactly("a"));

            proxy.flow();
            assertThat(readLine(client)).isEqualTo("a");
        }
    }

    @Test
    void dropsOneReplyAfterTheServerHasExecuted() throws Exception {
        CompletableFuture<String> dropped = proxy.dropReplyTo(request -> request.contains("drop"));
        try (Socket client = connect()) {
            assertThat(ask(client, "keep")).isEqualTo("keep");
            send(client, "drop");
            assertThat(dropped.get(Patience.SECONDS, TimeUnit.SECONDS)).isEqualTo("drop\n");
            assertThat(endOfInput(client)).isTrue();
            assertThat(executed).containsExactly("keep", "drop");
        }
        try (Socket client = connect()) {
            assertThat(ask(client, "drop")).isEqualTo("drop");
        }
    }

    @Test
    void closesOnlyTheServerSide() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.open().forEach(ProxyLink::closeToServer);
            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(ends).hasValue(1));
            assertUnanswered(client, "b");

            proxy.cut();
            assertThat(endOfInput(client)).isTrue();
        }
    }

    @Test
    void resetsOnlyTheClientSide() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.open().forEach(ProxyLink::resetToClient);
            assertThatThrownBy(() -> client.getInputStream().read())
                    .isInstanceOf(SocketException.class)
                    .hasMessageContaining("reset");
            assertThat(ends).hasValue(0);
        }
    }

    @Test
    void endsTheRepliesAndForwardsWhatTheClientSends() throws IOException {
        try (Socket client = connect()) {
            ask(client, "a");
            proxy.open().forEach(ProxyLink::endReplies);
            assertThat(endOfInput(client)).isTrue();
            send(client, "b");
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(executed).containsExactly("a", "b"));
        }
    }

    @Test
    void refusesSomeRequestsUntilItAcceptsAgain() throws IOException {
        proxy.refuseRequests(request -> request.contains("SUBSCRIBE"));
        try (Socket commands = connect();
                Socket mailbox = connect()) {
            send(mailbox, "SUBSCRIBE mailbox");
            assertThat(endOfInput(mailbox)).isTrue();
            assertThat(ask(commands, "GET")).isEqualTo("GET");
            assertThat(executed).containsExactly("GET");
        }
        proxy.accept();
        try (Socket mailbox = connect()) {
            assertThat(ask(mailbox, "SUBSCRIBE mailbox")).isEqualTo("SUBSCRIBE mailbox");
        }
    }

    private Socket connect() throws IOException {
        Socket socket = new Socket(proxy.host(), proxy.port());
        socket.setSoTimeout(PATIENCE_MILLIS);
        return socket;
    }

    private static String ask(Socket client, String line) throws IOException {
        send(client, line);
        return readLine(client);
    }

    /** A slow machine delays an answer, which only lets this pass. */
    private static void assertUnanswered(Socket client, String line) throws IOException {
        client.setSoTimeout(Patience.MOMENT_MILLIS);
        assertThatThrownBy(() -> ask(client, line)).isInstanceOf(SocketTimeoutException.class);
        client.setSoTimeout(PATIENCE_MILLIS);
    }

    private static void send(Socket client, String line) throws IOException {
        client.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
    }

    private static String readLine(Socket client) throws IOException {
        StringBuilder line = new StringBuilder();
        for (int c = client.getInputStream().read();
                c != '\n' && c >= 0;
                c = client.getInputStream().read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    private static boolean endOfInput(Socket client) throws IOException {
        try {
            return client.getInputStream().read() < 0;
        } catch (SocketException e) {
            return true; // reset by peer: equivalent to closed
        }
    }

    private Void repeat(Socket socket) throws IOException {
        try (socket;
                BufferedReader in =
                        new BufferedReader(new InputStreamReader(socket.getInputStream(), StandardCharsets.UTF_8))) {
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                executed.add(line);
                socket.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            }
            return null;
        } finally {
            ends.incrementAndGet();
        }
    }

    private static void daemon(Callable<Void> work) {
        Thread thread = new Thread(() -> {
            try {
                work.call();
            } catch (Exception e) {
                // The sockets were closed: the test is over.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }
}
