package io.github.lockstarter.benchmarks.server;

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
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One etcd member on free ports of the loopback interface, with its defaults: it syncs each write to the disk. The
 * binary is the one that the system property {@value #BINARY} names, else {@code etcd} on the path.
 */
final class EtcdProcess implements StoreServer {

    /** System property: path of the binary. */
    static final String BINARY = "lock.benchmarks.etcd";

    private static final Pattern VERSION = Pattern.compile("\"etcdserver\":\"([^\"]+)\"");
    private static final Pattern SIZE = Pattern.compile("(?m)^etcd_mvcc_db_total_size_in_use_in_bytes ([0-9.e+]+)$");

    private final HttpClient http = HttpClient.newHttpClient();
    private final GuardedProcess process;
    private final LoopbackPort port;

    private EtcdProcess(GuardedProcess process, LoopbackPort port) {
        this.process = process;
        this.port = port;
    }

    static Optional<Path> binary() {
        String given = System.getProperty(BINARY);
        if (given != null) {
            return Optional.of(Path.of(given));
        }
        return Arrays.stream(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                .map(folder -> Path.of(folder, "etcd"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    static EtcdProcess start() {
        Path binary = binary().orElseThrow(
                        () -> new IllegalStateException("No etcd on the PATH, and none named by -D" + BINARY));
        try {
            Path directory = Files.createTempDirectory("lock-benchmarks-etcd-");
            LoopbackPort port = LoopbackPort.free();
            String peers = "http://" + LoopbackPort.free().address();
            List<String> command = List.of(
                    binary.toString(),
                    "--data-dir=" + directory.resolve("data"),
                    "--listen-client-urls=" + url(port),
                    "--advertise-client-urls=" + url(port),
                    "--listen-peer-urls=" + peers,
                    "--initial-advertise-peer-urls=" + peers,
                    "--initial-cluster=default=" + peers);
            return new EtcdProcess(GuardedProcess.start(directory, command, port), port);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start etcd", e);
        }
    }

    private static String url(LoopbackPort port) {
        return "http://" + port.address();
    }

    @Override
    public String address() {
        return url(port);
    }

    @Override
    public String description() {
        return find(VERSION, get("/version")) + " (same machine, one member, fsync)";
    }

    @Override
    public Duration cpuTime() {
        return process.cpuTime();
    }

    /** What the pages of its database take that are in use. */
    @Override
    public long dataSize() {
        return (long) Double.parseDouble(find(SIZE, get("/metrics")));
    }

    /** Nothing: pages of deleted keys stay in use until somebody asks for a compaction, and then are reused. */
    @Override
    public void compact() {}

    private String get(String path) {
        try {
            HttpRequest request = HttpRequest.newBuilder(URI.create(address() + path))
                    .timeout(Duration.ofSeconds(10))
                    .build();
            return http.send(request, HttpResponse.BodyHandlers.ofString()).body();
        } catch (IOException e) {
            throw new UncheckedIOException("etcd does not answer at " + path, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while asking etcd", e);
        }
    }

    private static String find(Pattern pattern, String text) {
        Matcher matcher = pattern.matcher(text);
        if (!matcher.find()) {
            throw new IllegalStateException("etcd answered without " + pattern);
        }
        return matcher.group(1);
    }

    @Override
    public void close() {
        process.close();
    }
}
