package io.github.lockstarter.jdbc;

import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.sql.DataSource;

/**
 * The database and its lock table, detected on the first connection. Thread-safe: concurrent detections find the same
 * values.
 */
final class JdbcDatabase {

    private static final String HOST = "(?:[\\w.-]+|\\[[0-9A-Fa-f:.]+])(?::\\d+)?";

    /** Ends before the parameters; omits the user. */
    private static final Pattern TARGET = Pattern.compile("jdbc:((?:[a-z0-9+-]+:)+(?://)?)(?:[^/?;@(]*@)?" + "((?:"
            + HOST + "(?:," + HOST + ")*)?(?:[/~][\\w./~%-]*)?)(?:[?;][^@]*)?");

    /** Their drivers wait forever by default. */
    private static final Set<JdbcDialect> LOGINS_WITHOUT_LIMIT = Set.of(JdbcDialect.POSTGRESQL, JdbcDialect.MYSQL);

    /** A server that stays read-only must not get a new connection with each command. */
    private static final long DISCARD_PAUSE_NANOS = TimeUnit.SECONDS.toNanos(1);

    private record DetectedDatabase(
            JdbcDialect dialect, LockTable table, int isolation, String target, boolean hasNoNetworkTimeout) {}

    private final DataSource source;
    private final JdbcSettings settings;
    private final AtomicLong discardedAt = new AtomicLong(System.nanoTime() - DISCARD_PAUSE_NANOS);
    private volatile Optional<DetectedDatabase> found = Optional.empty();

    JdbcDatabase(DataSource source, JdbcSettings settings) {
        this.source = source;
        this.settings = settings;
    }

    /** Waits for a connection as long as the pool allows. */
    JdbcSession open() throws SQLException {
        JdbcSession session = new JdbcSession(source.getConnection(), settings.commandTimeout());
        try {
            DetectedDatabase known = found.isPresent() ? found.get() : find(session);
            session.setUp(known.isolation());
            if (known.dialect() != JdbcDialect.H2) {
                // H2 would keep the limit on the connection after its return; its LOCK_TIMEOUT ends a wait for a row.
                session.limitQueries();
            }
            return session;
        } catch (SQLException | RuntimeException e) {
            session.close();
            throw e;
        }
    }

    /** Breaks a connection to a server that refuses writes, at most one per second. */
    void discard(JdbcSession session) {
        long last = discardedAt.get();
        long now = System.nanoTime();
        if (now - last >= DISCARD_PAUSE_NANOS && discardedAt.compareAndSet(last, now)) {
            session.discard();
        }
    }

    /** Call after {@link #open}. */
    LockRepository locks(JdbcSession session) {
        DetectedDatabase known = found.orElseThrow();
        return switch (known.dialect()) {
            case H2 -> new H2Repository(session, known.table());
            case POSTGRESQL -> new PostgresRepository(session, known.table());
            case MYSQL -> new MySqlRepository(session, known.table());
            case MARIADB -> new MariaDbRepository(session, known.table());
        };
    }

    /** The configured dialect, or the detected one; empty before the first connection. */
    Optional<JdbcDialect> knownDialect() {
        return settings.dialect().or(() -> found.map(DetectedDatabase::dialect));
    }

    /** Problems of the pool that are no failure yet. */
    List<String> warnings() {
        return found
                .filter(known -> LOGINS_WITHOUT_LIMIT.contains(known.dialect()) && known.hasNoNetworkTimeout())
                .stream()
                .map(known -> "The connections to " + this + " have no socket timeout, so a server that hangs during a"
                        + " login can stop the pool for good. Add socketTimeout to the JDBC URL")
                .toList();
    }

    LockTable table() {
        return found.map(DetectedDatabase::table).orElse(settings.table());
    }

    SqlFailure failure(SQLException failure) {
        return SqlFailure.of(failure, knownDialect(), table());
    }

    private DetectedDatabase find(JdbcSession session) throws SQLException {
        Connection connection = session.connection();
        DatabaseMetaData database = connection.getMetaData();
        Optional<JdbcDialect> dialect = settings.dialect().isPresent() ? settings.dialect() : JdbcDialect.of(database);
        if (dialect.isEmpty()) {
            throw new SQLFeatureNotSupportedException(
                    "'" + database.getDatabaseProductName() + ' ' + database.getDatabaseProductVersion()
                            + "' is none of H2, PostgreSQL, MySQL and MariaDB; for one that understands the statements"
                            + " of one of them, set distributed-lock.jdbc.dialect",
                    SqlFailure.NOT_SUPPORTED);
        }
        DetectedDatabase answer = new DetectedDatabase(
                dialect.get(),
                table(dialect.get(), connection),
                connection.getTransactionIsolation(),
                target(database.getURL()),
                session.hasNoNetworkTimeout());
        found = Optional.of(answer);
        return answer;
    }

    private LockTable table(JdbcDialect dialect, Connection connection) throws SQLException {
        LockTable table = settings.table();
        String schema =
                switch (dialect) {
                    case H2 -> connection.getSchema();
                    case POSTGRESQL -> PostgresRepository.schemaOf(table, connection);
                    case MYSQL, MARIADB ->
                        connection.getCatalog() == null ? connection.getSchema() : connection.getCatalog();
                };
        char quote = dialect == JdbcDialect.H2 || dialect == JdbcDialect.POSTGRESQL ? '"' : '`';
        return schema == null ? table : table.in(schema, quote);
    }

    /** The part of the URL that is certainly no password: scheme, hosts and name, or else only the scheme. */
    static String target(String url) {
        Matcher known = TARGET.matcher(url);
        return known.matches() ? known.group(1) + known.group(2) : url.replaceFirst("^jdbc:([a-z0-9+-]*).*", "$1");
    }

    @Override
    public String toString() {
        return "the database" + found.map(known -> " " + known.target()).orElse("");
    }
}
