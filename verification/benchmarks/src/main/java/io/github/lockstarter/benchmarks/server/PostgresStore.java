package io.github.lockstarter.benchmarks.server;

import io.github.lockstarter.kit.server.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** PostgreSQL that syncs each commit to disk. */
record PostgresStore(PostgresServer process) implements StoreServer {

    static PostgresStore start() {
        return new PostgresStore(
                PostgresServer.start("fsync=on", "full_page_writes=on", "max_connections=500", "shared_buffers=128MB"));
    }

    @Override
    public String address() {
        return process.url() + "?user=postgres";
    }

    @Override
    public String description() {
        return select(
                "select split_part(current_setting('server_version'), ' ', 1) || ' (same machine, fsync '"
                        + " || current_setting('fsync') || ', synchronous_commit ' || current_setting('synchronous_commit') || ')'");
    }

    /** Tables, indexes and their attachments. */
    @Override
    public long dataSize() {
        return Long.parseLong(
                select("select coalesce(sum(pg_total_relation_size(relid)), 0) from pg_stat_user_tables"));
    }

    private String select(String query) {
        try (Connection connection = process.connect();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            row.next();
            return row.getString(1);
        } catch (SQLException e) {
            throw new IllegalStateException("PostgreSQL does not answer " + query, e);
        }
    }
}
