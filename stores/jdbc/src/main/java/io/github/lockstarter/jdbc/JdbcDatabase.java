package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Optional;
import javax.sql.DataSource;

/**
 * The database and its lock table, detected on the first connection. Thread-safe: concurrent detections find the same
 * values.
 */
final class JdbcDatabase {

    private record Found(JdbcDialect dialect, LockTable table, int isolation, String target) {}

    private final DataSource source;
    private final JdbcSettings settings;
    private volatile Optional<Found> found = Optional.empty();

    JdbcDatabase(DataSource source, JdbcSettings settings) {
        this.source = source;
        this.settings = settings;
    }

    /** Borrows a connection; waits as long as the pool allows. */
    JdbcSession open() throws SQLException {
        JdbcSession session = new JdbcSession(source.getConnection(), networkTimeout());
        try {
            Found known = found.isPresent() ? found.get() : find(session.connection());
            session.prepare(known.isolation());
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Exceeds the query timeout: for a server that does not respond to a cancel either. */
    private Duration networkTimeout() {
        return Duration.ofSeconds(LockRows.seconds(settings.commandTimeout())).plusMillis(500);
    }

    LockRows rows(JdbcSession session) {
        Found known = found.orElseThrow();
        return rows(known.dialect(), session.connection(), known.table(), settings.commandTimeout());
    }

    static LockRows rows(JdbcDialect dialect, Connection connection, LockTable table, Duration timeout) {
        return switch (dialect) {
            case H2 -> new H2Rows(connection, table, timeout);
            case POSTGRESQL -> new PostgresRows(connection, table, timeout);
            case MYSQL -> new MySqlRows(connection, table, timeout);
            case MARIADB -> new MariaDbRows(connection, table, timeout);
        };
    }

    /** The configured dialect, or the detected one; empty before the first connection. */
    Optional<JdbcDialect> knownDialect() {
        return settings.dialect().or(() -> found.map(Found::dialect));
    }

    /** The table, with its schema once detected. */
    LockTable table() {
        return found.map(Found::table).orElse(settings.table());
    }

    SqlFailure failure(SQLException failure) {
        return SqlFailure.of(failure, knownDialect(), table());
    }

    private Found find(Connection connection) throws SQLException {
        DatabaseMetaData database = connection.getMetaData();
        Optional<JdbcDialect> dialect = settings.dialect().isPresent() ? settings.dialect() : JdbcDialect.of(database);
        if (dialect.isEmpty()) {
            throw new SQLFeatureNotSupportedException(
                    "'" + database.getDatabaseProductName() + ' ' + database.getDatabaseProductVersion()
                            + "' is none of H2, PostgreSQL, MySQL and MariaDB; for one that understands the statements"
                            + " of one of them, set distributed-lock.jdbc.dialect",
                    SqlFailure.NOT_SUPPORTED);
        }
        Found answer = new Found(
                dialect.get(),
                table(dialect.get(), connection),
                connection.getTransactionIsolation(),
                target(database.getURL()));
        found = Optional.of(answer);
        return answer;
    }

    private LockTable table(JdbcDialect dialect, Connection connection) throws SQLException {
        LockTable table = settings.table();
        String schema =
                switch (dialect) {
                    case H2 -> connection.getSchema();
                    case POSTGRESQL -> PostgresRows.schemaOf(table, connection);
                    case MYSQL, MARIADB ->
                        connection.getCatalog() == null ? connection.getSchema() : connection.getCatalog();
                };
        char quote = dialect == JdbcDialect.H2 || dialect == JdbcDialect.POSTGRESQL ? '"' : '`';
        return schema == null ? table : table.in(schema, quote);
    }

    /** The URL without its parameters and user, which may contain a password. */
    static String target(String url) {
        String bare = url.replaceFirst("[?;].*", "").replaceFirst("//[^/@]*@", "//");
        return bare.startsWith("jdbc:") ? bare.substring("jdbc:".length()) : bare;
    }

    @Override
    public String toString() {
        return "the database" + found.map(known -> " " + known.target()).orElse("");
    }
}
