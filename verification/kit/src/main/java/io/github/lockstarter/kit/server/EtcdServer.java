package io.github.lockstarter.kit.server;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.net.TlsFiles;
import io.github.lockstarter.kit.process.ServerProcess;
import java.io.File;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** An etcd server, alone or in a cluster: the binary named by {@code -Dlock.test.etcd}, or else the one on the path. */
public final class EtcdServer extends ServerProcess {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** For the question whether it answers promptly. */
    private static final Duration PROMPT = Duration.ofMillis(500);

    private static final HttpClient CLIENT = HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(PATIENCE)
            .build();

    private final int number;
    private final List<Ports> cluster;
    private final String scheme;
    private final List<String> arguments;

    private EtcdServer(int number, List<Ports> cluster, String scheme, List<String> arguments) {
        super("etcd", cluster.get(number).client);
        this.number = number;
        this.cluster = cluster;
        this.scheme = scheme;
        this.arguments = arguments;
    }

    private record Ports(int client, int peers, int health) {

        static List<Ports> free(int count) {
            return Stream.generate(() -> new Ports(FreePort.next(), FreePort.next(), FreePort.next()))
                    .limit(count)
                    .toList();
        }
    }

    public static Optional<Path> binary() {
        String named = System.getProperty("lock.test.etcd", "");
        return named.isBlank()
                ? Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator, -1))
                        .map(directory -> Path.of(directory, "etcd"))
                        .filter(Files::isExecutable)
                        .findFirst()
                : Optional.of(Path.of(named));
    }

    /** Starts one server, which needs no time for elections: its shortest lease would be one and a half of it. */
    public static EtcdServer start(String... arguments) {
        List<String> all = Stream.concat(
                        Stream.of("--heartbeat-interval=20", "--election-timeout=100"), Stream.of(arguments))
                .toList();
        return start(() -> new EtcdServer(0, Ports.free(1), "http", all));
    }

    /** Starts one server that accepts only clients with the same certificate; close it. */
    public static EtcdServer startTls(TlsFiles files) {
        List<String> tls = List.of(
                "--cert-file=" + files.certificate(),
                "--key-file=" + files.key(),
                "--trusted-ca-file=" + files.certificate(),
                "--client-cert-auth");
        return start(() -> new EtcdServer(0, Ports.free(1), "https", tls));
    }

    /** Starts a cluster; close the servers. */
    public static List<EtcdServer> startCluster(int count) {
        List<Ports> cluster = Ports.free(count);
        List<EtcdServer> servers = IntStream.range(0, count)
                .mapToObj(number -> new EtcdServer(number, cluster, "http", List.of()))
                .toList();
        servers.forEach(EtcdServer::launch);
        servers.forEach(EtcdServer::awaitReady);
        return servers;
    }

    @Override
    protected List<String> command() {
        Path binary = binary().orElseThrow(() -> new IllegalStateException("No etcd: name one by -Dlock.test.etcd"));
        String members = IntStream.range(0, cluster.size())
                .mapToObj(member -> name(member) + '=' + peerUrl(member))
                .collect(Collectors.joining(","));
        Stream<String> own = Stream.of(
                binary.toString(),
                "--name=" + name(number),
                "--data-dir=" + directory().resolve("data"),
                "--logger=zap",
                "--log-level=error",
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-metrics-urls=" + reportUrl(),
                "--listen-peer-urls=" + peerUrl(number),
                "--initial-advertise-peer-urls=" + peerUrl(number),
                "--initial-cluster=" + members);
        return Stream.concat(own, arguments.stream()).toList();
    }

    private static String name(int member) {
        return "etcd-" + (member + 1);
    }

    private String peerUrl(int member) {
        return "http://" + host() + ':' + cluster.get(member).peers;
    }

    private String reportUrl() {
        return "http://" + host() + ':' + cluster.get(number).health;
    }

    public String endpoint() {
        return scheme + "://" + address();
    }

    /**
     * Calls a method of the JSON gateway. Returns an empty string without an answer.
     *
     * @param path such as {@code /v3/lease/leases}
     */
    public String call(String path, String body) {
        return call(path, body, PATIENCE);
    }

    private String call(String path, String body, Duration limit) {
        return answerTo(request(endpoint() + path, limit).POST(HttpRequest.BodyPublishers.ofString(body)));
    }

    /** Reads a path such as {@code /metrics}; empty without an answer. */
    public String report(String path) {
        return answerTo(request(reportUrl() + path, PATIENCE));
    }

    private static HttpRequest.Builder request(String url, Duration limit) {
        return HttpRequest.newBuilder(URI.create(url)).timeout(limit);
    }

    private static String answerTo(HttpRequest.Builder request) {
        try {
            HttpResponse<String> answer = CLIENT.send(request.build(), HttpResponse.BodyHandlers.ofString());
            return answer.statusCode() == 200 ? answer.body() : "";
        } catch (IOException e) {
            return "";
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while calling etcd", e);
        }
    }

    /** Values of all string fields with this name, in order. */
    public static List<String> fields(String json, String name) {
        return Pattern.compile("\"" + Pattern.quote(name) + "\":\"([^\"]*)\"")
                .matcher(json)
                .results()
                .map(match -> match.group(1))
                .toList();
    }

    /** True for a single server. */
    public boolean isLeader() {
        String status = call("/v3/maintenance/status", "{}", PROMPT);
        List<String> leader = fields(status, "leader");
        return !leader.isEmpty() && leader.equals(fields(status, "member_id"));
    }

    /** Whether it has a leader and can read. */
    @Override
    public boolean answers() {
        return answerTo(request(reportUrl() + "/health", PROMPT)).contains("\"health\":\"true\"");
    }
}
