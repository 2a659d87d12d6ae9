package io.github.lockstarter.demo.experiment.stage;

import io.github.lockstarter.demo.DemoApp;
import io.github.lockstarter.demo.experiment.store.StoreProgram;
import io.github.lockstarter.sample.SimulatedWork;
import io.github.lockstarter.sample.process.Loopback;
import io.github.lockstarter.sample.process.SupervisedProcess;
import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** One server of a store that is no Redis, a process of its own with its data in files. */
final class StoreServer implements LockServers, AutoCloseable {

    private static final Duration OUTAGE = Duration.ofMillis(300);
    private static final int ANSWER_MS = 500;

    private final Backend backend;
    private final SupervisedProcess process;
    private final int port;

    private StoreServer(Backend backend, int port) throws IOException {
        this.backend = backend;
        this.port = port;
        this.process =
                SupervisedProcess.prepare(backend.id(), directory -> command(backend, port, directory), line -> {});
    }

    /**
     * Starts a server; it accepts connections when this returns.
     *
     * @param backend what it is
     * @param belongings is given the server before it starts
     * @throws IllegalStateException when it does not start; the message says why
     */
    static StoreServer start(Backend backend, Belongings belongings) {
        try {
            StoreServer server = belongings.add(new StoreServer(backend, Loopback.freePort()));
            server.launch();
            return server;
        } catch (IOException failure) {
            throw new IllegalStateException(
                    "The " + backend.id() + " server did not start: " + failure.getMessage(), failure);
        }
    }

    @Override
    public List<String> properties() {
        String address = Loopback.HOST + ":" + port;
        return switch (backend) {
            case JDBC ->
                List.of(
                        // The instances have no other use for a database, and leave it out.
                        "spring.autoconfigure.exclude=",
                        "spring.datasource.url=" + StoreProgram.databaseUrl(port),
                        "spring.datasource.username=sa",
                        "spring.datasource.password=");
            case ZOOKEEPER ->
                List.of(
                        "distributed-lock.zookeeper.connect-string=" + address,
                        "distributed-lock.zookeeper.session-timeout=5s");
            case ETCD -> List.of("distributed-lock.etcd.endpoints=http://" + address);
            case REDIS, REDLOCK -> throw new IllegalStateException(backend + " is no single server");
        };
    }

    @Override
    public String restart(String key) {
        try {
            process.kill();
            SimulatedWork.lasting(OUTAGE);
            launch();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
        return "The " + backend.id() + " server was killed (-9) and started again with its data";
    }

    @Override
    public String failOver(String key, int times) {
        requireReplicas();
        throw new IllegalStateException("There is one server");
    }

    @Override
    public void requireReplicas() {
        throw new UnsupportedOperationException(
                "The experiment has one " + backend.id() + " server, and no other that could take over");
    }

    @Override
    public void delete(String key) {
        throw new UnsupportedOperationException(
                "The experiment deletes keys of locks in Redis only. Leave --backend out");
    }

    @Override
    public void close() {
        process.close();
    }

    private void launch() throws IOException {
        process.start();
        Readiness.await("the " + backend.id() + " server answers", this::answers);
    }

    private boolean answers() {
        if (!process.isRunning()) {
            throw new IllegalStateException("The " + backend.id() + " server has ended right after its start");
        }
        try (Socket socket = new Socket()) {
            socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), ANSWER_MS);
            return true;
        } catch (IOException notYet) {
            return false;
        }
    }

    private static List<String> command(Backend backend, int port, Path directory) {
        if (backend == Backend.ETCD) {
            return etcd(port, directory);
        }
        return InstanceCommand.of(directory, List.of(), DemoApp.STORE, List.of(backend.id(), Integer.toString(port)));
    }

    private static List<String> etcd(int port, Path directory) {
        String client = "http://" + Loopback.HOST + ":" + port;
        return List.of(
                etcdBinary().toString(),
                "--data-dir=" + directory.resolve("data"),
                "--listen-client-urls=" + client,
                "--advertise-client-urls=" + client,
                "--listen-peer-urls=http://" + Loopback.HOST + ":0",
                "--log-level=error");
    }

    /**
     * Where the program is.
     *
     * @throws IllegalStateException when there is none
     */
    static Path etcdBinary() {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(File.pathSeparator))
                .map(folder -> Path.of(folder, "etcd"))
                .filter(Files::isExecutable)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(
                        "There is no etcd on the PATH. Install it, such as with apt-get install etcd-server"));
    }
}
