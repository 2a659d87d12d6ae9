package io.github.lockstarter.kit.server;

import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.process.GuardedProcess;
import io.github.lockstarter.kit.process.Polling;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.process.UnpackedFiles;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.tukaani.xz.XZInputStream;

/**
 * PostgreSQL for Linux on x86-64 from a Maven artifact. Its processes, one per connection and some background ones,
 * are paused and killed together. Unless configured otherwise, it passes each commit to the operating system before
 * answering, so commits survive a kill -9.
 *
 * <p>PostgreSQL refuses to run as root; in that case it runs in a user namespace as nobody.
 */
public final class PostgresServer extends ServerProcess {

    private static final String ARCHIVE = "postgres-linux-x86_64.txz";
    private static final List<String> SETTINGS = List.of(
            "fsync=off",
            "full_page_writes=off",
            "unix_socket_directories=",
            "dynamic_shared_memory_type=mmap", // which is deleted with its files
            "max_connections=100",
            "shared_buffers=32MB");

    /** Template of an empty database, next to the binaries; creating it takes seconds. */
    private static final String EMPTY = "empty";

    private final List<String> settings;

    private PostgresServer(String... settings) {
        super("postgres", FreePort.next());
        this.settings = Stream.concat(SETTINGS.stream(), Stream.of(settings)).toList();
    }

    /** Starts a server with an empty database and additional settings such as {@code fsync=on}; close it. */
    public static PostgresServer start(String... settings) {
        return start(() -> {
            PostgresServer server = new PostgresServer(settings);
            server.initialize();
            return server;
        });
    }

    private void initialize() {
        run(List.of("cp", "-R", binaries().resolve(EMPTY).toString(), data().toString()), directory());
    }

    private static void run(List<String> command, Path directory) {
        Path log = directory.resolve("setup.log");
        try (GuardedProcess setup = GuardedProcess.startLoggingTo(log, directory, command)) {
            if (setup.awaitExit(Duration.ofMinutes(1)) != 0) {
                throw new IllegalStateException(String.join(" ", command) + " failed:\n" + Files.readString(log));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + log, e);
        }
    }

    private Path data() {
        return directory().resolve("data");
    }

    private static List<String> program(Path binaries, String name, String... arguments) {
        List<String> command = new ArrayList<>();
        if (System.getProperty("user.name").equals("root")) {
            command.addAll(List.of("unshare", "--user"));
        }
        command.add(binaries.resolve("bin").resolve(name).toString());
        command.addAll(List.of(arguments));
        return command;
    }

    @Override
    protected List<String> command() {
        List<String> command =
                program(binaries(), "postgres", "-D", data().toString(), "-h", host(), "-p", Integer.toString(port()));
        settings.forEach(setting -> command.addAll(List.of("-c", setting)));
        return command;
    }

    /** Unpacked once per user and version, with an empty database. */
    private static Path binaries() {
        URL archive = PostgresServer.class.getClassLoader().getResource(ARCHIVE);
        if (archive == null) {
            throw new IllegalStateException("No PostgreSQL for this machine on the class path: " + ARCHIVE);
        }
        String name = "lock-kit-postgresql-" + System.getProperty("user.name") + '-'
                + Integer.toHexString(archive.toString().hashCode());
        return UnpackedFiles.of(name, directory -> unpack(archive, directory));
    }

    private static void unpack(URL archive, Path directory) {
        try {
            Process tar = new ProcessBuilder("tar", "-xf", "-", "-C", directory.toString())
                    .redirectErrorStream(true)
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (InputStream content = new XZInputStream(archive.openStream());
                    OutputStream input = tar.getOutputStream()) {
                content.transferTo(input);
            }
            int status = tar.waitFor();
            if (status != 0) {
                throw new IOException("tar ended with status " + status + " in " + directory);
            }
            run(initdb(directory), directory);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not unpack PostgreSQL to " + directory, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while unpacking PostgreSQL", e);
        }
    }

    private static List<String> initdb(Path binaries) {
        return program(
                binaries,
                "initdb",
                "--auth=trust",
                "--username=postgres",
                "--encoding=UTF8",
                "--no-sync",
                "--pgdata=" + binaries.resolve(EMPTY));
    }

    /** URL of the database, without a user. */
    public String url() {
        return url(host(), port());
    }

    /** URL of the database behind a proxy, without a user. */
    public static String url(String host, int port) {
        return "jdbc:postgresql://" + host + ':' + port + "/postgres";
    }

    /** Connects as the superuser; close the connection. */
    public Connection connect() throws SQLException {
        return connect(20);
    }

    private Connection connect(int seconds) throws SQLException {
        return DriverManager.getConnection(
                url() + "?user=postgres&connectTimeout=" + seconds + "&socketTimeout=" + seconds);
    }

    @Override
    public boolean answers() {
        try (Connection connection = connect(1);
                Statement statement = connection.createStatement()) {
            return statement.execute("SELECT 1");
        } catch (SQLException e) {
            return false;
        }
    }

    /** Pauses the main process first, so that it starts no other one. */
    @Override
    public synchronized void pause() {
        super.pause();
        signal("STOP");
    }

    @Override
    public synchronized void resume() {
        if (process().isAlive()) {
            signal("CONT");
            super.resume();
        }
    }

    @Override
    public synchronized void kill() {
        List<ProcessHandle> backends = isStarted() ? backends() : List.of();
        super.kill();
        backends.forEach(ProcessHandle::destroyForcibly);
        if (!Polling.until(() -> backends.stream().noneMatch(ProcessHandle::isAlive))) {
            throw new IllegalStateException("Processes of PostgreSQL are left after kill -9: " + backends);
        }
    }

    /** Shuts it down if it can: after kill -9, a segment of shared memory remains. */
    @Override
    public synchronized void close() {
        if (isStarted() && process().isAlive()) {
            resume();
            stop();
        }
        super.close();
    }

    /** Fast shutdown, which does not wait for connections to end as SIGTERM would. */
    @Override
    public synchronized void stop() {
        process().interrupt();
    }

    /** Child processes of the server, without the guard, which is also a child. */
    private List<ProcessHandle> backends() {
        return ProcessHandle.of(pid()).stream()
                .flatMap(ProcessHandle::descendants)
                .filter(child -> child.info().command().orElse("").endsWith("/postgres"))
                .toList();
    }

    /** Ignores processes that have just ended. */
    private void signal(String name) {
        List<String> command = new ArrayList<>(List.of("kill", "-" + name));
        backends().forEach(backend -> command.add(Long.toString(backend.pid())));
        try {
            new ProcessBuilder(command)
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start()
                    .waitFor();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not send SIG" + name, e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("Interrupted while sending SIG" + name, e);
        }
    }
}
