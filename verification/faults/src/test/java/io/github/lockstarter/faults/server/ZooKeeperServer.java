package io.github.lockstarter.faults.server;

import io.github.lockstarter.testing.ChildJvm;
import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.Patience;
import io.github.lockstarter.testing.ScratchDirectory;
import io.github.lockstarter.testing.ServerProcess;
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
import org.apache.zookeeper.server.quorum.QuorumPeerMain;

/**
 * A ZooKeeper server in a JVM of its own, alone or one of an ensemble. It hands each change to the operating system
 * before it acknowledges it, which is what outlives a kill -9 of the process. Containers of nodes that are empty are
 * removed soon and often, since that goes on beside the locks. Thread-safe.
 */
public final class ZooKeeperServer implements ServerProcess {

    private static final int TICK_MILLIS = 200;
    private static final List<String> OPTIONS = List.of(
            "-Dzookeeper.forceSync=no",
            "-Dznode.container.checkIntervalMs=500",
            "-Dzookeeper.admin.enableServer=false");
    private static final int PATIENCE_MILLIS = 500;

    private final ScratchDirectory files = ScratchDirectory.create("lock-starter-zookeeper-");
    private final int port;
    private ChildJvm jvm;

    private ZooKeeperServer(int number, List<Ports> ensemble) {
        this.port = ensemble.get(number - 1).client;
        configure(number, ensemble);
        this.jvm = launch();
    }

    /** Where one of an ensemble listens: for clients, for followers, and for elections. */
    private record Ports(int client, int followers, int elections) {

        static Ports free() {
            return new Ports(FreePort.next(), FreePort.next(), FreePort.next());
        }
    }

    /**
     * Starts servers that know each other, and waits until they answer.
     *
     * @param count one, or more for an ensemble
     * @return the running servers; close them
     */
    public static List<ZooKeeperServer> start(int count) {
        List<Ports> ensemble =
                IntStream.range(0, count).mapToObj(i -> Ports.free()).toList();
        List<ZooKeeperServer> servers = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            servers.add(new ZooKeeperServer(number, ensemble));
        }
        servers.forEach(ZooKeeperServer::awaitReady);
        return List.copyOf(servers);
    }

    private void configure(int number, List<Ports> ensemble) {
        List<String> lines = new ArrayList<>(List.of(
                "tickTime=" + TICK_MILLIS,
                "initLimit=25",
                "syncLimit=5",
                "dataDir=" + files.path().resolve("data"),
                "clientPort=" + port,
                "clientPortAddress=" + host(),
                "maxClientCnxns=0",
                "admin.enableServer=false",
                "4lw.commands.whitelist=*"));
        if (ensemble.size() > 1) {
            for (int i = 0; i < ensemble.size(); i++) {
                Ports each = ensemble.get(i);
                lines.add("server." + (i + 1) + '=' + host() + ':' + each.followers + ':' + each.elections);
            }
        }
        try {
            Files.createDirectories(files.path().resolve("data"));
            Files.writeString(files.path().resolve("data").resolve("myid"), Integer.toString(number));
            Files.write(configuration(), lines);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not configure ZooKeeper", e);
        }
    }

    private ChildJvm launch() {
        Path home = Path.of(System.getProperty("java.home"));
        return ChildJvm.start(
                home, OPTIONS, QuorumPeerMain.class, configuration().toString());
    }

    private void awaitReady() {
        if (!Patience.until(() -> answers() || !jvm.isAlive()) || !jvm.isAlive()) {
            throw new IllegalStateException(
                    "ZooKeeper does not answer on port " + port + ":\n" + String.join("\n", jvm.lines()));
        }
    }

    /**
     * Asks by one of the commands of four letters.
     *
     * @param command such as {@code srvr}
     * @return the answer; empty if there is none
     */
    public String ask(String command) {
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(host(), port), PATIENCE_MILLIS);
            socket.setSoTimeout(PATIENCE_MILLIS);
            socket.getOutputStream().write(command.getBytes(StandardCharsets.US_ASCII));
            return new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            return "";
        }
    }

    /**
     * Whether it leads the others.
     *
     * @return also true for one that is alone
     */
    public boolean isLeader() {
        String answer = ask("srvr");
        return answer.contains("Mode: leader") || answer.contains("Mode: standalone");
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return port;
    }

    @Override
    public synchronized void pause() {
        jvm.pause();
    }

    @Override
    public synchronized void resume() {
        if (jvm.isAlive()) {
            jvm.resume();
        }
    }

    @Override
    public synchronized void kill() {
        jvm.kill();
    }

    @Override
    public synchronized void stop() {
        jvm.stop();
    }

    @Override
    public synchronized void restart() {
        jvm.close();
        jvm = launch();
        awaitReady();
    }

    /** Whether it serves clients, which one without a majority does not. */
    @Override
    public boolean answers() {
        return ask("srvr").contains("Mode: ");
    }

    @Override
    public synchronized void close() {
        jvm.close();
        files.close();
    }

    private Path configuration() {
        return files.path().resolve("zoo.cfg");
    }
}
