package io.github.lockstarter.jdbc.testing;

import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.kit.net.TcpProxy;
import java.net.URI;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** Keeps a database from answering while its connections stay open. Belongs to one thread. */
interface DatabasePause extends AutoCloseable {

    static DatabasePause of(TestDatabase database) {
        return database.dialect() == JdbcDialect.H2 ? new ExclusiveMode(database) : new Proxy(database);
    }

    /** The address for the affected applications. */
    String url();

    void begin();

    /** Without effect before {@link #begin}. */
    void end();

    @Override
    void close();

    /** Between the applications and a server; holds back the data of both sides. */
    final class Proxy implements DatabasePause {

        private static final String JDBC = "jdbc:";

        private final TestDatabase database;
        private final URI server;
        private final TcpProxy proxy;

        Proxy(TestDatabase database) {
            this.database = database;
            this.server = URI.create(database.url().substring(JDBC.length()));
            this.proxy = TcpProxy.before(server.getHost(), server.getPort());
        }

        @Override
        public String url() {
            return database.url().replace(server.getAuthority(), proxy.address());
        }

        @Override
        public void begin() {
            proxy.stallRequests();
            proxy.stallReplies();
        }

        @Override
        public void end() {
            proxy.flow();
        }

        @Override
        public void close() {
            proxy.close();
        }
    }

    /** Makes H2 keep the statements of all connections but one waiting, and refuse new connections. */
    final class ExclusiveMode implements DatabasePause {

        private final TestDatabase database;
        private @Nullable Connection only;

        ExclusiveMode(TestDatabase database) {
            this.database = database;
        }

        @Override
        public String url() {
            return database.url();
        }

        @Override
        public void begin() {
            try {
                only = DriverManager.getConnection(database.url(), database.user(), "");
                execute(only, "SET EXCLUSIVE 1");
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        }

        @Override
        public void end() {
            if (only != null) {
                try (Connection connection = only) {
                    execute(connection, "SET EXCLUSIVE 0");
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
                only = null;
            }
        }

        private static void execute(Connection connection, String sql) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute(sql);
            }
        }

        @Override
        public void close() {
            end();
        }
    }
}
