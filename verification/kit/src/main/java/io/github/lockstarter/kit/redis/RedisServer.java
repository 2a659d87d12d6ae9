package io.github.lockstarter.kit.redis;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.process.ServerProcess;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.sync.RedisCommands;
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
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * A {@code redis-server}: the binary that {@code -Dlock.test.redis-server} names, else that of {@code embedded-redis}.
 * Without persistence arguments, a restart loses the data.
 *
 * <p>Tests may do anything to the {@code default} user; the kit itself uses another one.
 */
public class RedisServer extends ServerProcess {

    private static final int PING_MILLIS = 500;
    private static final List<String> DATA = List.of("--save", "", "--appendonly", "no");
    private static final String CONFIGURATION = "redis.conf";

    private final List<String> mode;
    private final List<String> arguments;
    private final FixtureClient client;
    private Duration ahead = Duration.ZERO;

    /** A server of data that does not run yet. */
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
     * Starts a server and waits until it answers.
     *
     * @param arguments further arguments of {@code redis-server}, such as {@code --appendonly yes --appendfsync always}
     * @return the running server; close it
     */
    public static RedisServer start(String... arguments) {
        return start(() -> new RedisServer(FreePort.next(), arguments));
    }

    /** Starts a server that listens with TLS as well, at {@link #tlsPort()}. */
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

    static RedisServer startSentinel(String... arguments) {
        return start(
                () -> new RedisServer(FreePort.next(), List.of("--sentinel"), Stream.of(arguments), !isBefore(6, 2)));
    }

    /** A server on the given port or not at all, such as a node that others know already; it does not run yet. */
    static RedisServer prepare(int port, String... arguments) {
        return new RedisServer(port, arguments);
    }

    /** Whether this machine has a binary. */
    public static boolean isAvailable() {
        return RedisBinary.isAvailable();
    }

    /** Whether the binary is older than a version, and lacks its features. Valkey continues from Redis 7.2. */
    public static boolean isBefore(int major, int minor) {
        return RedisBinary.isBefore(major, minor);
    }

    /**
     * It has a file and no arguments, so that {@code CONFIG REWRITE} works: with that, a server stays over a restart
     * what it or a sentinel has made of it.
     */
    @Override
    protected List<String> command() {
        return Stream.concat(Stream.of(RedisBinary.path().toString(), CONFIGURATION), mode.stream())
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

    /** Arguments of a server of data without those that say where it is. */
    List<String> ownArguments() {
        return Stream.concat(FixtureClient.userArguments(), arguments.stream()).toList();
    }

    /** Forgets the kit's own connection. */
    void disconnect() {
        client.close();
    }

    /** Writes a file into its directory. */
    void writeFile(String name, String content) {
        try {
            Files.writeString(directory().resolve(name), content);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not write " + name, e);
        }
    }

    /** A connection as the kit's own user. Commands time out after 5 s. */
    public RedisCommands<String, String> commands() {
        return client.commands();
    }

    /** Where clients connect, as the default user without a password. */
    public RedisURI uri() {
        return RedisURI.create(host(), port());
    }

    /** Where a server from {@link #startTls} listens with TLS. */
    public int tlsPort() {
        return Integer.parseInt(commands().configGet("tls-port").getOrDefault("tls-port", "0"));
    }

    /** Whether it answers a {@code PING} at once; also if it asks for a password first. */
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

    /** The clock that was set stays over a restart, from the first answer on. */
    @Override
    public void awaitReady() {
        super.awaitReady();
        if (!ahead.isZero()) {
            setClock(ahead);
        }
    }

    /** Whether this machine lets {@link #setClock} work. */
    public static boolean canSetClock() {
        return ServerClock.isAvailable();
    }

    /**
     * Sets the server's wall clock while it runs; every other program keeps the time of the machine.
     *
     * @param ahead how far ahead of the right time; negative for behind
     * @throws UnsupportedOperationException when that is not possible here; nothing was changed then
     */
    public synchronized void setClock(Duration ahead) {
        ServerClock.set(process(), ahead);
        this.ahead = ahead;
    }

    /**
     * Stops the server's wall clock while the server runs on; every other program keeps the time of the machine. Ends
     * with the process, and with {@link #setClock}.
     *
     * @param time that the server reads from now on
     * @throws UnsupportedOperationException when that is not possible here
     */
    public synchronized void freezeClock(Instant time) {
        ServerClock.freeze(process(), time);
    }

    /** Brings a server that a test left paused, dead, locked or full back to the state of a new one. */
    public void reset() {
        resume();
        if (!answers()
                || !info("replication").getOrDefault("master_replid2", "0").matches("0+")) {
            restart(); // one that was promoted is no new server to anybody
        }
        openToEverybody();
        commands().flushall();
        commands().scriptFlush();
    }

    /** Removes passwords and restrictions of the default user. */
    void openToEverybody() {
        grantDefaultUser("reset", "on", "nopass", "~*", "&*", "+@all");
    }

    /** Starts or continues it, unless it answers. */
    void revive() {
        resume();
        if (!answers()) {
            restart();
        }
    }

    /** Asks new connections of the default user for a password. */
    public void requirePassword(String password) {
        commands().configSet("requirepass", password);
    }

    /** Changes the rights of the default user, on open connections too, by rules as {@code ACL SETUSER} takes them. */
    public void grantDefaultUser(String... rules) {
        setUser("default", rules);
    }

    /** Creates or changes a user by rules as {@code ACL SETUSER} takes them. */
    public void setUser(String user, String... rules) {
        CommandArgs<String, String> args =
                new CommandArgs<>(StringCodec.UTF8).add("SETUSER").add(user);
        understood(rules).forEach(args::add);
        commands().dispatch(CommandType.ACL, new StatusOutput<>(StringCodec.UTF8), args);
    }

    /** The rules without those of channels, where the server is older than these: every user has all channels there. */
    static Stream<String> understood(String... rules) {
        return Stream.of(rules).filter(rule -> !isBefore(6, 2) || !(rule.startsWith("&") || rule.endsWith("channels")));
    }

    /** Makes it a master, which it stays over restarts. */
    public void promote() {
        commands().replicaofNoOne();
        commands().configRewrite();
    }

    /** Makes it a replica of another server, which it stays over restarts. */
    public void follow(RedisServer master) {
        commands().replicaof(master.host(), master.port());
        commands().configRewrite();
    }

    /** Starts a killed server as a replica of another one, so that it never is a second master. */
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

    /** Whether it says that it is a master. */
    public boolean isMaster() {
        return "master".equals(info("replication").get("role"));
    }

    /**
     * Fields of one section of {@code INFO}, such as {@code stats}. Asks again when the connection ends meanwhile:
     * sentinels end all connections of a server that they promote or demote.
     */
    public Map<String, String> info(String section) {
        try {
            return fields(commands().info(section));
        } catch (RedisException e) {
            return fields(commands().info(section));
        }
    }

    static Map<String, String> fields(String info) {
        return info.lines()
                .filter(line -> line.contains(":"))
                .map(line -> line.split(":", 2))
                .collect(Collectors.toMap(field -> field[0], field -> field[1].strip()));
    }

    /** How many network reads the server does for an action, if nobody else uses the server meanwhile. */
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
