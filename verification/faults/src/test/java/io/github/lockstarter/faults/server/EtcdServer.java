package io.github.lockstarter.faults.server;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.GuardedProcess;
import io.github.lockstarter.testing.Patience;
import io.github.lockstarter.testing.ScratchDirectory;
import io.github.lockstarter.testing.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * An etcd server, alone or one of a cluster: the binary that {@code -Dlock.test.etcd} names, else the one on the path.
 * Thread-safe.
 */
public final class EtcdServer implements ServerProcess {

    private static final Duration PATIENCE = Duration.ofMillis(500);
    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final ScratchDirectory files = ScratchDirectory.create("lock-starter-etcd-");
    private final int number;
    private final List<Ports> cluster;
    private GuardedProcess process;

    private EtcdServer(int number, List<Ports> cluster) {
        this.number = number;
        this.cluster = cluster;
        this.process = launch();
    }

    /** Where one of a cluster listens: for clients, and for the others. */
    private record Ports(int client, int peers) {

        static Ports free() {
            return new Ports(FreePort.next(), FreePort.next());
        }

        String clientUrl() {
            return "http://127.0.0.1:" + client;
        }

        String peerUrl() {
            return "http://127.0.0.1:" + peers;
        }
    }

    /**
     * The binary.
     *
     * @return empty if there is none on this machine
     */
    public static Optional<Path> binary() {
        String named = System.getProperty("lock.test.etcd", "");
        return named.isBlank()
                ? Stream.of(System.getenv("PATH").split(File.pathSeparator, -1))
                        .map(directory -> Path.of(directory, "etcd"))
                        .filter(Files::isExecutable)
                        .findFirst()
                : Optional.of(Path.of(named));
    }

    /**
     * Starts servers that know each other, and waits until they have a leader.
     *
     * @param count one, or more for a cluster
     * @return the running servers; close them
     */
    public static List<EtcdServer> start(int count) {
        List<Ports> cluster =
                IntStream.range(0, count).mapToObj(i -> Ports.free()).toList();
        List<EtcdServer> servers = new ArrayList<>();
        for (int number = 1; number <= count; number++) {
            servers.add(new EtcdServer(number, cluster));
        }
        servers.forEach(EtcdServer::awaitReady);
        return List.copyOf(servers);
    }

    private GuardedProcess launch() {
        Ports own = cluster.get(number - 1);
        Path binary = binary().orElseThrow(() -> new IllegalStateException("No etcd: name one by -Dlock.test.etcd"));
        return GuardedProcess.startLoggingTo(
                files.path().resolve("etcd.log"),
                files.path().toFile(),
                List.of(
                        binary.toString(),
                        "--name=" + name(number),
                        "--data-dir=" + files.path().resolve("data"),
                        "--logger=zap",
                        "--log-level=error",
                        "--listen-client-urls=" + own.clientUrl(),
                        "--advertise-client-urls=" + own.clientUrl(),
                        "--listen-peer-urls=" + own.peerUrl(),
                        "--initial-advertise-peer-urls=" + own.peerUrl(),
                        "--initial-cluster="
                                + IntStream.rangeClosed(1, cluster.size())
                                        .mapToObj(i -> name(i)
                                                + '='
                                                + cluster.get(i - 1).peerUrl())
                                        .collect(Collectors.joining(","))));
    }

    private static String name(int number) {
        return "etcd-" + number;
    }

    private void awaitReady() {
        if (!Patience.until(() -> answers() || !process.isAlive()) || !process.isAlive()) {
            throw new IllegalStateException("etcd does not answer on port " + port() + ":\n" + log());
        }
    }

    /**
     * Calls a method of its JSON gateway.
     *
     * @param path such as {@code /v3/lease/leases}
     * @param body a JSON object
     * @return the answer; empty if there is none
     */
    public String call(String path, String body) {
        HttpRequest request = HttpRequest.newBuilder(
                        URI.create(cluster.get(number - 1).clientUrl() + path))
                .timeout(PATIENCE)
                .POST(HttpRequest.BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = CLIENT.send(request, HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while calling etcd", e);
        }
    }

    /**
     * Whether it leads the others.
     *
     * @return also true for one that is alone
     */
    public boolean isLeader() {
        String status = call("/v3/maintenance/status", "{}");
        String member = Json.field(status, "member_id");
        return !member.isEmpty() && member.equals(Json.field(status, "leader"));
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return cluster.get(number - 1).client;
    }

    @Override
    public synchronized void pause() {
        process.pause();
    }

    @Override
    public synchronized void resume() {
        if (process.isAlive()) {
            process.resume();
        }
    }

    @Override
    public synchronized void kill() {
        process.kill();
    }

    @Override
    public synchronized void stop() {
        process.stop();
    }

    @Override
    public synchronized void restart() {
        process.kill();
        process = launch();
        awaitReady();
    }

    /** Whether it knows a leader. */
    @Override
    public boolean answers() {
        String leader = Json.field(call("/v3/maintenance/status", "{}"), "leader");
        return !leader.isEmpty() && !leader.equals("0");
    }

    @Override
    public synchronized void close() {
        process.close();
        files.close();
    }

    private String log() {
        try {
            return Files.readString(files.path().resolve("etcd.log"));
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read the log of etcd", e);
        }
    }
}
