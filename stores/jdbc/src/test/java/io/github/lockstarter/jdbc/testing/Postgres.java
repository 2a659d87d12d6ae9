package io.github.lockstarter.jdbc.testing;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.testing.FreePort;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;

/** A PostgreSQL, whose binaries are for Linux on x86-64; for root, the library starts it as another user. */
public final class Postgres implements AutoCloseable {

    private final EmbeddedPostgres server;

    private Postgres(EmbeddedPostgres server) {
        this.server = server;
    }

    public static Postgres start() {
        try {
            return new Postgres(EmbeddedPostgres.builder()
                    .setServerConfig("max_connections", "100")
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** On data that outlives it, at a port; 0 for a free one. */
    public static Postgres start(Path data, int port) {
        try {
            return new Postgres(EmbeddedPostgres.builder()
                    .setDataDirectory(data)
                    .setCleanDataDirectory(false)
                    .setPort(port == 0 ? FreePort.next() : port)
                    .start());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public int port() {
        return server.getPort();
    }

    /** The database, which is empty at first. */
    public TestDatabase database() {
        return new TestDatabase(
                "jdbc:postgresql://localhost:" + port() + "/postgres", "postgres", JdbcDialect.POSTGRESQL);
    }

    @Override
    public void close() {
        stop();
    }

    /** Ends it in the middle of a test. Idempotent. */
    public void stop() {
        try {
            server.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
