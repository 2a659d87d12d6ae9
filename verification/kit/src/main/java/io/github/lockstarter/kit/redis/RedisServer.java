package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.process.ServerProcess;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A {@code redis-server} from {@link RedisBinary}. Without persistence arguments, a restart loses the data.
 *
 * <p>Tests may change the {@code default} user freely; the kit uses another one.
 */
public class RedisServer extends ServerProcess {

    private static final int PING_MILLIS = 500;
    private static final List<String> DATA = List.of("--save", "", "--appendonly", "no");
    private static final String CONFIGURATION = "redis.conf";

    private final List<String> mode;
    private final List<String> arguments;
    private final FixtureClient client;
    private Optional<Path> altered = Optional.empty();
    private Duration ahead = Duration.ZERO;

    RedisServer(int port, String... arguments) {
        this(port, List.of(), Stream.concat(DATA.stream(), Stream.of(arguments)), true);
    }

    private RedisServer(int port, List<String> mode, Stream<String> arguments, boolean asUser) {
        super("redis-server", port);
        this.mode = mode;
        this.arguments = arguments.toList();
        this.client = new FixtureClient(host(), port, asUser);
        writeFile(CONFIGURATION, directives());
    }

    /**
     * Starts a server and waits until it answers; close it.
     *
     * @param arguments additional arguments, such as {@code --appendonly yes --appendfsync always}
     */
    public static RedisServer start(String... arguments) {
        return start(() -> new RedisServer(FreePort.next(), arguments));
    }

    /** Starts a server with an additional TLS port, {@link #tlsPort()}. */
    public static RedisServer startTls(TlsFiles files) {
        String[] tls = {
            "--tls-port", Integer.toString(FreePort.next()),
            "--tls-cert-file", files.certificate().toString(),
            "--tls-key-file", files.key().toString(),
            "--tls-ca-cert-file", files.certificate().toString(),
            "--tls-auth-clients", "no"
        };
        return start(tls);
    }

    /**
     * Starts a server of another make: the binary with a text replaced, such as a field of {@code INFO} or a Lua
     * function's name; close it.
     *
     * @param text in the binary, see {@link #hasText}
     * @param replacement as long as the text
     */
    public static RedisServer startAltered(String text, String replacement) {
        return start(() -> {
            RedisServer server = new RedisServer(FreePort.next());
            server.altered = Optional.of(RedisBinary.altered(server.directory(), text, replacement));
            return server;
        });
    }

    /** Whether the binary has this text; a named one may be a script. */
    public static boolean hasText(String text) {
        return RedisBinary.has(text);
    }

    /** Starts a sentinel; close it. */
    public static RedisServer startSentinel(String... arguments) {
        return start(
                () -> new RedisServer(FreePort.next(), List.of("--sentinel"), Stream.of(arguments), !isBefore(6, 2)));
    }

    /** Prepares a server on a fixed port; does not start it. */
    static RedisServer prepare(int port, String... arguments) {
        return new RedisServer(port, arguments);
    }

    /** Whether this machine has a binary. */
    public static boolean isAvailable() {
        return RedisBinary.isAvailable();
    }

    /** Whether the binary is older than this version. Valkey continues from Redis 7.2. */
    public static boolean isBefore(int major, int minor) {
        return RedisBinary.isBefore(major, minor);
    }

    /** Uses a file without arguments, so that {@code CONFIG REWRITE} works and role changes survive a restart. */
    @Override
    protected List<String> command() {
        Path binary = altered.orElseGet(RedisBinary::path);
        return Stream.concat(Stream.of(binary.toString(), CONFIGURATION), mode.stream())
                .toList();
    }

    private String directives() {
        Stream<String> place = Stream.of(
                "--port",
                Integer.toString(port()),
                "--bind",
                host(),
                "--dir",
                directory().toString());
        return Stream.concat(place, ownArguments().stream())
                .map(part -> part.startsWith("--") ? "\n" + part.substring(2) : " " + (part.isEmpty() ? "\"\"" : part))
                .collect(Collectors.joining());
    }

    /** Arguments of a data server, without port, address and directory. */
    List<String> ownArguments() {
        return Stream.concat(FixtureClient.userArguments(), arguments.stream()).toList();
    }

    void disconnect() {
        client.close();
    }

    void writeFile(String name, String content) {
        try {
            Files.writeString(directory().resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + name, e);
        }
    }

    /** A connection as the kit's user; commands time out after 5 s. */
    public RedisCommands<String, String> commands() {
        return client.commands();
    }

    /** Connects as the default user without a password. */
    public RedisURI uri() {
        return RedisURI.create(host(), port());
    }

    /** TLS port of a server from {@link #startTls}. */
    public int tlsPort() {
        return Integer.parseInt(commands().configGet("tls-port").getOrDefault("tls-port", "0"));
    }

    /** Whether it answers a {@code PING} promptly, even if with a demand for a password. */
    @Override
    public boolean answers() {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host(), port()), PING_MILLIS);
            socket.setSoTimeout(PING_MILLIS);
            socket.getOutputStream().write("PING\r\n".getBytes(StandardCharsets.US_ASCII));
            String reply = new String(socket.getInputStream().readNBytes(5), StandardCharsets.US_ASCII);
            return List.of("+PONG", "-NOAU", "-NOPE").contains(reply);
        } catch (IOException e) {
            return false;
        }
    }

    @Override
    public synchronized void kill() {
        super.kill();
        disconnect();
    }

    @Override
    public synchronized void stop() {
        super.stop();
        disconnect();
    }

    /** Restores the clock after a restart. */
    @Override
    public void awaitReady() {
        super.awaitReady();
        if (!ahead.isZero()) {
            setClock(ahead);
        }
    }

    /** Whether {@link #setClock} works on this machine. */
    public static boolean canSetClock() {
        return ServerClock.isAvailable();
    }

    /**
     * Changes the server's wall clock while it runs; no other program is affected.
     *
     * @param ahead offset from the correct time; may be negative
     * @throws UnsupportedOperationException if not possible on this machine; nothing was changed
     */
    public synchronized void setClock(Duration ahead) {
        ServerClock.set(process(), ahead);
        this.ahead = ahead;
    }

    /**
     * Stops the server's wall clock at the given time, until a restart or {@link #setClock}; no other program is
     * affected.
     *
     * @throws UnsupportedOperationException if not possible on this machine
     */
    public synchronized void freezeClock(Instant time) {
        ServerClock.freeze(process(), time);
    }

    /** Restores the state of a new server after a test paused, killed, locked or filled it. */
    public void reset() {
        resume();
        if (!answers()
                || !info("replication").getOrDefault("master_replid2", "0").matches("0+")) {
            restart(); // a promoted server keeps its replication history
        }
        removeRestrictions();
        commands().flushall();
        commands().scriptFlush();
    }

    /**
     * Gives a server that was started with {@code --cluster-enabled yes} all slots: addressed as one server, it is as
     * an address before shards.
     */
    public void serveAllSlots() {
        if (commands().clusterInfo().contains("cluster_slots_assigned:0\r")) {
            commands().clusterAddSlots(IntStream.range(0, SlotHash.SLOT_COUNT).toArray());
        }
        if (!Polling.until(() -> commands().clusterInfo().contains("cluster_state:ok"))) {
            throw new IllegalStateException(
                    "The slots are not served: " + commands().clusterInfo());
        }
    }

    /** Removes password and restrictions of the default user. */
    void removeRestrictions() {
        grantDefaultUser("reset", "on", "nopass", "~*", "&*", "+@all");
    }

    /** Resumes or restarts it unless it answers. */
    void revive() {
        resume();
        if (!answers()) {
            restart();
        }
    }

    /** Sets a password for new connections of the default user. */
    public void requirePassword(String password) {
        commands().configSet("requirepass", password);
    }

    /** Changes the permissions of the default user by {@code ACL SETUSER} rules, even on open connections. */
    public void grantDefaultUser(String... rules) {
        setUser("default", rules);
    }

    /** Creates or changes a user by {@code ACL SETUSER} rules. */
    public void setUser(String user, String... rules) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user);
        supported(rules).forEach(args::add);
        commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** Removes channel rules before 6.2, where every user may use all channels. */
    static Stream<String> supported(String... rules) {
        return Stream.of(rules).filter(rule -> !isBefore(6, 2) || !(rule.startsWith("&") || rule.endsWith("channels")));
    }

    /** Makes it a master, even after a restart. */
    public void promote() {
        commands().replicaofNoOne();
        commands().configRewrite();
    }

    /** Makes it a replica, even after a restart. */
    public void follow(RedisServer master) {
        commands().replicaof(master.host(), master.port());
        commands().configRewrite();
    }

    /** Starts a killed server as a replica, so that it is never a second master. */
    public void restartAsReplicaOf(RedisServer master) {
        Path file = directory().resolve(CONFIGURATION);
        String line = "\nreplicaof " + master.host() + " " + master.port() + "\n";
        try {
            Files.writeString(file, line, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + file, e);
        }
        restart();
    }

    public boolean isMaster() {
        return "master".equals(info("replication").get("role"));
    }

    /**
     * Fields of a section of {@code INFO}. Retries once with a new connection: tests, and sentinels after a change of
     * the role, close all connections of a server, and a closed one counts as open for a moment.
     */
    public Map<String, String> info(String section) {
        try {
            return fields(commands().info(section));
        } catch (RedisException e) {
            client.close();
            return fields(commands().info(section));
        }
    }

    static Map<String, String> fields(String info) {
        return info.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip()));
    }

    /** Number of network reads during an action; no one else may use the server meanwhile. */
    public long readsDuring(Runnable action) {
        long before = reads();
        action.run();
        long closingInfo = 1;
        return reads() - before - closingInfo;
    }

    private long reads() {
        return Long.parseLong(info("stats").getOrDefault("total_reads_processed", "0"));
    }
}
