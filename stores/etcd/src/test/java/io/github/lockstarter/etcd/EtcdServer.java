package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assumptions.assumeThat;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.GuardedProcess;
import io.github.lockstarter.testing.ScratchDirectory;
import io.github.lockstarter.testing.TlsFiles;
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
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.awaitility.Awaitility;

/**
 * A real etcd on ports of its own, which can be paused, killed and started again with its data. The binary is that of
 * {@code -Dlock.test.etcd}, else the one on the path; the calling test is reported as skipped if there is none, unless
 * {@code -Petcd} demands one.
 */
public final class EtcdServer implements AutoCloseable {

    private static final Duration START = Duration.ofSeconds(20);

    private final ScratchDirectory files = ScratchDirectory.create("lock-starter-etcd-");
    private final Path binary;
    private final int port = FreePort.next();
    private final int peerPort = FreePort.next();
    private final int healthPort = FreePort.next();
    private final String scheme;
    private final List<String> arguments;
    private GuardedProcess process;

    private EtcdServer(Path binary, String scheme, List<String> arguments) {
        this.binary = binary;
        this.scheme = scheme;
        this.arguments = arguments;
        this.process = launch();
        awaitStart();
    }

    /** Starts one. */
    public static EtcdServer start(String... arguments) {
        return new EtcdServer(requiredBinary(), "http", List.of(arguments));
    }

    /** Starts one that talks to nobody but those who have the same certificate. */
    public static EtcdServer startWithTls(TlsFiles files) {
        return new EtcdServer(
                requiredBinary(),
                "https",
                List.of(
                        "--cert-file=" + files.certificate(),
                        "--key-file=" + files.key(),
                        "--trusted-ca-file=" + files.certificate(),
                        "--client-cert-auth"));
    }

    /**
     * Has the calling tests reported as skipped where there is none; before their class, so that no other step fails.
     */
    static void assumeThereIsOne() {
        requiredBinary();
    }

    private static Path requiredBinary() {
        Optional<Path> found = binary();
        if (found.isEmpty() && Boolean.getBoolean("lock.test.etcd.required")) {
            throw new AssertionError("There is no etcd: name the binary with -Dlock.test.etcd=/path/to/etcd");
        }
        assumeThat(found).as("etcd of -Dlock.test.etcd, or on the path").isPresent();
        return found.orElseThrow();
    }

    private static Optional<Path> binary() {
        String given = System.getProperty("lock.test.etcd", "");
        if (!given.isEmpty()) {
            return Optional.of(Path.of(given));
        }
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(directory -> Path.of(directory, "etcd"))
                .filter(Files::isExecutable)
                .findFirst();
    }

    private GuardedProcess launch() {
        String peer = "http://127.0.0.1:" + peerPort;
        Stream<String> own = Stream.of(
                binary.toString(),
                "--data-dir=" + files.path().resolve("data"),
                "--listen-client-urls=" + endpoint(),
                "--advertise-client-urls=" + endpoint(),
                "--listen-metrics-urls=" + health(),
                "--listen-peer-urls=" + peer,
                "--initial-advertise-peer-urls=" + peer,
                "--initial-cluster=default=" + peer,
                "--unsafe-no-fsync");
        return GuardedProcess.startLoggingTo(
                files.path().resolve("etcd.log"),
                files.path().toFile(),
                Stream.concat(own, arguments.stream()).toList());
    }

    private void awaitStart() {
        HttpClient http = HttpClient.newHttpClient();
        HttpRequest health =
                HttpRequest.newBuilder(URI.create(health() + "/health")).build();
        try {
            Awaitility.await().atMost(START).ignoreExceptions().until(() -> http.send(
                            health, HttpResponse.BodyHandlers.ofString())
                    .body()
                    .contains("true"));
        } catch (RuntimeException e) {
            throw new IllegalStateException("etcd did not start:\n" + log(), e);
        }
    }

    private String log() {
        try {
            return Files.readString(files.path().resolve("etcd.log"));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where clients connect. */
    public String endpoint() {
        return scheme + "://127.0.0.1:" + port;
    }

    private String health() {
        return "http://127.0.0.1:" + healthPort;
    }

    /** Stops it in its tracks (SIGSTOP). */
    public void pause() {
        process.pause();
    }

    /** Lets it go on (SIGCONT). */
    public void resume() {
        process.resume();
    }

    /** Ends it at once (SIGKILL). */
    public void kill() {
        process.kill();
    }

    /** Starts it again with its data, after {@link #kill}. */
    public void restart() {
        process = launch();
        awaitStart();
    }

    @Override
    public void close() {
        process.close();
        files.close();
    }
}
