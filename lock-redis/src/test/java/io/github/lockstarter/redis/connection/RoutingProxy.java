package io.github.lockstarter.redis.connection;

import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.spi.Digest;
import io.lettuce.core.cluster.SlotHash;
import java.io.BufferedInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.function.UnaryOperator;

/**
 * One address in front of several servers, as of twemproxy or Envoy: each command goes to the server of its first key,
 * without a look at the others; subscriptions and commands without a key go to the first server.
 */
public final class RoutingProxy implements AutoCloseable {

    private static final Set<String> OF_CONNECTION = Set.of("HELLO", "CLIENT", "AUTH", "SELECT");
    private static final Set<String> WITHOUT_KEY =
            Set.of("PING", "INFO", "TIME", "PUBLISH", "SUBSCRIBE", "UNSUBSCRIBE");
    private static final int ALL = -1;

    private final List<RedisServer> servers;
    private final boolean honoursTags;
    private final UnaryOperator<String> scripts;
    private final ServerSocket socket;
    private final Map<String, String> received = new ConcurrentHashMap<>();
    private final List<Socket> open = new CopyOnWriteArrayList<>();

    /** @param honoursTags whether a key with braces is routed by the part between them */
    public RoutingProxy(List<RedisServer> servers, boolean honoursTags) throws IOException {
        this(servers, honoursTags, UnaryOperator.identity());
    }

    /** @param scripts changes each script, as a service does that restricts what scripts may do */
    public RoutingProxy(List<RedisServer> servers, boolean honoursTags, UnaryOperator<String> scripts)
            throws IOException {
        this.servers = List.copyOf(servers);
        this.honoursTags = honoursTags;
        this.scripts = scripts;
        this.socket = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
        run(() -> {
            while (true) {
                new Session(track(socket.accept())).begin();
            }
        });
    }

    public int port() {
        return socket.getLocalPort();
    }

    @Override
    public void close() throws IOException {
        socket.close();
        for (Socket each : open) {
            each.close();
        }
    }

    private Socket track(Socket opened) {
        open.add(opened);
        return opened;
    }

    private int serverOf(List<String> command) {
        String name = command.get(0).toUpperCase(Locale.ROOT);
        if (OF_CONNECTION.contains(name)) {
            return ALL;
        }
        if (WITHOUT_KEY.contains(name)) {
            return 0;
        }
        String key = command.get(name.startsWith("EVAL") ? 3 : 1);
        String hashed = honoursTags ? key : key.replaceAll("[{}]", "");
        return SlotHash.getSlot(hashed) * servers.size() / SlotHash.SLOT_COUNT;
    }

    private Value changed(Value command) {
        String name = command.texts.get(0);
        if (!name.startsWith("EVAL")) {
            return command;
        }
        List<String> texts = new ArrayList<>(command.texts);
        String script = texts.get(1);
        if (name.equals("EVAL")) {
            received.put(Digest.SHA_1.hex(script.getBytes(StandardCharsets.UTF_8)), script);
        }
        texts.set(0, "EVAL");
        texts.set(1, scripts.apply(received.getOrDefault(script, script)));
        StringBuilder bytes = new StringBuilder("*" + texts.size() + "\r\n");
        texts.forEach(text -> bytes.append('$')
                .append(text.getBytes(StandardCharsets.UTF_8).length)
                .append("\r\n")
                .append(text)
                .append("\r\n"));
        return new Value(bytes.toString().getBytes(StandardCharsets.UTF_8), texts);
    }

    private interface Task {

        void run() throws IOException, InterruptedException;
    }

    private static void run(Task task) {
        Thread thread = new Thread(() -> {
            try {
                task.run();
            } catch (IOException | InterruptedException e) {
                // The connection or the proxy was closed.
            }
        });
        thread.setDaemon(true);
        thread.start();
    }

    /** One client; replies are returned in the order of its commands. */
    private final class Session {

        private final Socket client;
        private final List<Socket> shards = new ArrayList<>();
        private final List<InputStream> replies = new ArrayList<>();
        private final BlockingQueue<Integer> expected = new LinkedBlockingQueue<>();
        private boolean subscribed;

        Session(Socket client) throws IOException {
            this.client = client;
            for (RedisServer server : servers) {
                Socket shard = track(new Socket(InetAddress.getLoopbackAddress(), server.port()));
                shards.add(shard);
                replies.add(new BufferedInputStream(shard.getInputStream()));
            }
        }

        void begin() {
            run(this::forwardCommands);
            run(() -> {
                while (true) {
                    int server = expected.take();
                    for (int i = 0; i < shards.size(); i++) {
                        if (server == i || server == ALL) {
                            byte[] reply = Value.read(replies.get(i)).bytes;
                            if (i == Math.max(server, 0)) {
                                client.getOutputStream().write(reply);
                            }
                        }
                    }
                }
            });
        }

        private void forwardCommands() throws IOException {
            InputStream commands = new BufferedInputStream(client.getInputStream());
            while (true) {
                Value command = changed(Value.read(commands));
                int server = serverOf(command.texts);
                for (int i = 0; i < shards.size(); i++) {
                    if (server == i || server == ALL) {
                        shards.get(i).getOutputStream().write(command.bytes);
                    }
                }
                if (command.texts.get(0).equalsIgnoreCase("SUBSCRIBE") && !subscribed) {
                    subscribed = true;
                    run(() -> replies.get(0).transferTo(client.getOutputStream()));
                }
                if (!subscribed) {
                    expected.add(server);
                }
            }
        }
    }

    /** A value of Redis' protocol as it was received, and the texts in it. */
    @SuppressWarnings("ArrayRecordComponent") // never compared
    private record Value(byte[] bytes, List<String> texts) {

        static Value read(InputStream in) throws IOException {
            ByteArrayOutputStream bytes = new ByteArrayOutputStream();
            List<String> texts = new ArrayList<>();
            read(in, bytes, texts);
            return new Value(bytes.toByteArray(), texts);
        }

        private static void read(InputStream in, ByteArrayOutputStream bytes, List<String> texts) throws IOException {
            String line = line(in, bytes);
            char type = line.charAt(0);
            if ("$=!".indexOf(type) >= 0 && !line.startsWith("$-1")) {
                byte[] text = in.readNBytes(Integer.parseInt(line.substring(1)) + 2);
                bytes.write(text);
                texts.add(new String(text, 0, text.length - 2, StandardCharsets.UTF_8));
            } else if ("*~>%".indexOf(type) >= 0) {
                int parts = Integer.parseInt(line.substring(1)) * (type == '%' ? 2 : 1);
                for (int i = 0; i < parts; i++) {
                    read(in, bytes, texts);
                }
            }
        }

        private static String line(InputStream in, ByteArrayOutputStream bytes) throws IOException {
            StringBuilder line = new StringBuilder();
            int next = in.read();
            while (next != '\n') {
                if (next < 0) {
                    throw new IOException("closed");
                }
                line.append((char) next);
                bytes.write(next);
                next = in.read();
            }
            bytes.write(next);
            return line.substring(0, line.length() - 1);
        }
    }
}
