package io.github.lockstarter.kit.server;

import io.github.lockstarter.kit.jvm.ChildJvm;
import io.github.lockstarter.kit.jvm.Jdks;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.process.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A ZooKeeper server in its own JVM, alone or in an ensemble. By default it does not sync changes to disk, which
 * survive a kill -9 anyway, and removes empty containers quickly.
 */
public final class ZooKeeperServer extends ServerProcess {

    private static final String MAIN = "org.apache.zookeeper.server.quorum.QuorumPeerMain";
    private static final List<String> OPTIONS = Stream.concat(
                    ChildJvm.SMALL.stream(),
                    Stream.of("-Dzookeeper.forceSync=no", "-Dznode.container.checkIntervalMs=500"))
            .toList();

    /** Short, since the shortest session has two ticks. */
    private static final String TICK = "tickTime=200";

    private static final int PATIENCE_MILLIS = 20_000;

    /** For the question whether it answers promptly. */
    private static final int PROMPT_MILLIS = 500;

    private final List<String> options;

    private ZooKeeperServer(int number, List<Ports> ensemble, List<String> options, String... settings) {
        super("zookeeper", ensemble.get(number).client);
        this.options = options;
        configure(number, ensemble, settings);
    }

    private record Ports(int client, int followers, int elections) {

        static List<Ports> free(int count) {
            return Stream.generate(() -> new Ports(FreePort.next(), FreePort.next(), FreePort.next()))
                    .limit(count)
                    .toList();
        }
    }

    /** Starts one server with additional settings such as {@code tickTime=2000}; close it. */
    public static ZooKeeperServer start(String... settings) {
        return startWith(OPTIONS, settings);
    }

    public static ZooKeeperServer startWith(List<String> options, String... settings) {
        return start(() -> new ZooKeeperServer(0, Ports.free(1), options, settings));
    }

    /** Starts an ensemble with additional settings; close the servers. */
    public static List<ZooKeeperServer> startEnsemble(int count, String... settings) {
        List<Ports> ensemble = Ports.free(count);
        List<ZooKeeperServer> servers = IntStream.range(0, count)
                .mapToObj(number -> new ZooKeeperServer(number, ensemble, OPTIONS, settings))
                .toList();
        servers.forEach(ZooKeeperServer::launch);
        servers.forEach(ZooKeeperServer::awaitReady);
        return servers;
    }

    private void configure(int number, List<Ports> ensemble, String... settings) {
        List<String> lines = new ArrayList<>(List.of(
                TICK,
                "initLimit=25",
                "syncLimit=5",
                "dataDir=" + directory().resolve("data"),
                "clientPort=" + port(),
                "clientPortAddress=" + host(),
                "maxClientCnxns=0",
                "admin.enableServer=false",
                "4lw.commands.whitelist=*"));
        lines.addAll(List.of(settings));
        for (int i = 0; ensemble.size() > 1 && i < ensemble.size(); i++) {
            Ports each = ensemble.get(i);
            lines.add("server." + (i + 1) + '=' + host() + ':' + each.followers + ':' + each.elections);
        }
        try {
            Path data = Files.createDirectories(directory().resolve("data"));
            Files.writeString(data.resolve("myid"), Integer.toString(number + 1));
            Files.write(configuration(), lines);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not configure ZooKeeper", e);
        }
    }

    private Path configuration() {
        return directory().resolve("zoo.cfg");
    }

    @Override
    protected List<String> command() {
        return ChildJvm.command(Jdks.own(), options, MAIN, configuration().toString());
    }

    /** The answer to a four-letter command, such as {@code srvr}; empty if there is none. */
    public String ask(String command) {
        return ask(command, PATIENCE_MILLIS);
    }

    private String ask(String command, int millis) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host(), port()), millis);
            socket.setSoTimeout(millis);
            socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /** True for a single server. */
    public boolean isLeader() {
        String answer = ask("srvr", PROMPT_MILLIS);
        return answer.contains("Mode: leader") || answer.contains("Mode: standalone");
    }

    /** Whether it serves clients, which requires a majority. */
    @Override
    public boolean answers() {
        return ask("srvr", PROMPT_MILLIS).contains("Mode: ");
    }
}
