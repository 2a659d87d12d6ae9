package io.github.lockstarter.faults.server;

import io.github.lockstarter.testing.FreePort;
import io.github.lockstarter.testing.GuardedProcess;
import io.github.lockstarter.testing.Patience;
import io.github.lockstarter.testing.ScratchDirectory;
import io.github.lockstarter.testing.ServerProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/**
 * A PostgreSQL server: one process for each connection, and some of its own, which are struck together. It hands each
 * commit to the operating system before it answers, which is what outlives a kill -9 of the processes. Thread-safe.
 */
public final class PostgresServer implements ServerProcess {

    /** The user of the workers; the lab's own connections are the superuser's. */
    public static final String WORKERS = "workers";

    private static final String DATABASE = "postgres";
    private static final List<String> SETTINGS = List.of(
            "-c", "fsync=off",
            "-c", "full_page_writes=off",
            "-c", "unix_socket_directories=",
            "-c", "max_connections=100",
            "-c", "shared_buffers=32MB");

    private final ScratchDirectory files = ScratchDirectory.create("lock-starter-postgres-");
    private final PostgresBinaries binaries = PostgresBinaries.unpackTo(files.path());
    private final int port = FreePort.next();
    private GuardedProcess process;

    private PostgresServer() {
        initialize();
        process = launch();
        awaitReady();
    }

    /**
     * Starts a server with an empty database.
     *
     * @return the running server; close it
     */
    public static PostgresServer start() {
        return new PostgresServer();
    }

    private void initialize() {
        List<String> command = binaries.command(
                "initdb", "--auth=trust", "--username=postgres", "--encoding=UTF8", "--no-sync", "--pgdata=" + data());
        GuardedProcess setup = GuardedProcess.startLoggingTo(log(), files.path().toFile(), command);
        if (!Patience.until(() -> !setup.isAlive()) || !Files.exists(data().resolve("PG_VERSION"))) {
            throw new IllegalStateException("initdb failed:\n" + read(log()));
        }
    }

    private GuardedProcess launch() {
        List<String> command = new ArrayList<>(
                binaries.command("postgres", "-D", data().toString(), "-h", host(), "-p", Integer.toString(port)));
        command.addAll(SETTINGS);
        return GuardedProcess.startLoggingTo(log(), files.path().toFile(), command);
    }

    private void awaitReady() {
        if (!Patience.until(() -> answers() || !process.isAlive()) || !process.isAlive()) {
            throw new IllegalStateException("PostgreSQL does not answer on port " + port + ":\n" + read(log()));
        }
    }

    /**
     * Connects as the superuser.
     *
     * @return the connection; close it
     * @throws SQLException when the server does not answer
     */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url() + "?user=postgres&connectTimeout=2&socketTimeout=5");
    }

    /**
     * Where the database is.
     *
     * @return the URL without a user
     */
    public String url() {
        return url(host(), port);
    }

    /**
     * Where the database is, as a worker sees it.
     *
     * @param host of a proxy
     * @param port of a proxy
     * @return the URL without a user
     */
    public static String url(String host, int port) {
        return "jdbc:postgresql://" + host + ':' + port + '/' + DATABASE;
    }

    @Override
    public String host() {
        return "127.0.0.1";
    }

    @Override
    public int port() {
        return port;
    }

    /** The first process first, so that it starts no other one meanwhile. */
    @Override
    public synchronized void pause() {
        process.pause();
        Signals.sendToAll(backends(), "STOP");
    }

    @Override
    public synchronized void resume() {
        if (process.isAlive()) {
            Signals.sendToAll(backends(), "CONT");
            process.resume();
        }
    }

    @Override
    public synchronized void kill() {
        List<ProcessHandle> backends = backends();
        process.kill();
        backends.forEach(ProcessHandle::destroyForcibly);
        if (!Patience.until(() -> backends.stream().noneMatch(ProcessHandle::isAlive))) {
            throw new IllegalStateException("Processes of PostgreSQL are left after kill -9: " + backends);
        }
    }

    /** The fast shutdown: SIGTERM would wait until the last connection ends. */
    @Override
    public synchronized void stop() {
        process.interrupt();
    }

    @Override
    public synchronized void restart() {
        kill();
        process = launch();
        awaitReady();
    }

    @Override
    public boolean answers() {
        try (Connection connection =
                        DriverManager.getConnection(url() + "?user=postgres&connectTimeout=1&socketTimeout=1");
                var statement = connection.createStatement()) {
            return statement.execute("SELECT 1");
        } catch (SQLException e) {
            return false;
        }
    }

    /** Those that serve connections, and the server's own: not the guard, which is a child of the first one too. */
    private List<ProcessHandle> backends() {
        return ProcessHandle.of(process.pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(child -> child.info().command().orElse("").endsWith("/postgres"))
                .toList();
    }

    @Override
    public synchronized void close() {
        kill();
        files.close();
    }

    private Path data() {
        return files.path().resolve("data");
    }

    private Path log() {
        return files.path().resolve("postgres.log");
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }
}
