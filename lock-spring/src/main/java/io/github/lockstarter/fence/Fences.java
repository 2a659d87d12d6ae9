package io.github.lockstarter.fence;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.OvertakenException;
import io.github.lockstarter.spi.StoredKeys;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.util.Map;
import java.util.SortedMap;
import javax.sql.DataSource;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.ConnectionCallback;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.DataSourceUtils;

/**
 * Lets a database refuse a holder that has lost its lock. A lock with a lease cannot: its holder may be paused after it
 * has checked the lease and before it writes, and meanwhile another one gets the lock. So the first statement of the
 * transaction that the lock protects is
 *
 * <pre>{@code
 * @DistributedLock(name = "account", key = "#id")
 * @Transactional
 * public void withdraw(long id, BigDecimal amount) {
 *     fences.enter();
 *     … // any access to the same database: JDBC, JPA, jOOQ
 * }
 * }</pre>
 *
 * <p>It writes the {@linkplain LockHandle#fencingToken() fencing token} of the lock into a row of the lock's key,
 * unless the row has a greater one. The update locks the row until the transaction ends. Transactions of one key are
 * therefore serial, in the order of their tokens: a holder that comes after a later one is refused, and one that was
 * paused in the middle of its transaction makes the next one wait in {@code enter()}, for as long as the database lets
 * a statement wait for a row.
 *
 * <p>The tables {@code distributed_lock_fence} and {@code distributed_lock_once} are created by the application, with
 * the scripts {@code postgresql.sql}, {@code mysql.sql}, {@code mariadb.sql} and {@code h2.sql} beside this class. The
 * isolation is {@code READ COMMITTED} or above; where it shows a transaction one state of all data ({@code REPEATABLE
 * READ}), enter before the first read.
 *
 * <p>Thread-safe. Blocks, so it is not for reactive code.
 */
public final class Fences {

    private static final String INSERT = "INSERT INTO distributed_lock_fence (lock_key, fencing_token) VALUES (?, ?)";

    /** Affects a row unless that has a greater token. */
    private static final String POSTGRES_RAISE = INSERT
            + " ON CONFLICT (lock_key) DO UPDATE SET fencing_token = EXCLUDED.fencing_token"
            + " WHERE distributed_lock_fence.fencing_token <= EXCLUDED.fencing_token";

    /**
     * An update that finds no row would lock the gap where it could be, and a second one too: both inserts would wait
     * for each other. How many rows this statement affects depends on the driver's settings.
     */
    private static final String MYSQL_RAISE =
            INSERT + " ON DUPLICATE KEY UPDATE fencing_token = GREATEST(fencing_token, VALUES(fencing_token))";

    private static final String UPDATE =
            "UPDATE distributed_lock_fence SET fencing_token = ? WHERE fencing_token <= ? AND lock_key = ?";
    private static final String GREATEST =
            "SELECT fencing_token FROM distributed_lock_fence WHERE lock_key = ? FOR UPDATE";
    private static final String FIRST =
            "INSERT INTO distributed_lock_once (once_key, done_at) VALUES (?, CURRENT_TIMESTAMP)";

    private static final String POSTGRES = "PostgreSQL";

    private final StoredKeys keys = new StoredKeys("");
    private final DataSource database;
    private final JdbcTemplate jdbc;

    /**
     * Creates the fences of a database.
     *
     * @param database whose transactions call them
     */
    public Fences(DataSource database) {
        this.database = database;
        this.jdbc = new JdbcTemplate(database);
    }

    /**
     * Enters the running transaction with each lock under which this thread runs, in the order of the keys: with those
     * of {@link LockHandle#allCurrent()}, and with {@link LockHandle#current()} of asynchronous work. One statement for
     * each key; two in MySQL and MariaDB, up to three for a new key elsewhere. May be repeated.
     *
     * @throws OvertakenException when a later holder of a lock has entered; the transaction must be rolled back, as
     *     {@code @Transactional} does
     * @throws IllegalStateException when this thread runs under no lock, or in no transaction of this database, or when
     *     a table is missing; the message says what to do
     */
    public void enter() {
        SortedMap<String, Long> tokens = FencingTokens.ofThread();
        inTransaction(connection -> {
            for (Map.Entry<String, Long> lock : tokens.entrySet()) {
                enter(connection, lock.getKey(), lock.getValue());
            }
            return true;
        });
    }

    /**
     * Whether this transaction is the first one with a text, of all that are committed: for work that must be done
     * once, such as the handling of a message that may be delivered twice. The text is stored together with the effect
     * of the transaction, or not at all. Waits for another transaction with the same text that is under way. Needs no
     * lock.
     *
     * <pre>{@code
     * if (fences.first("webhook:" + event.id())) { … }
     * }</pre>
     *
     * @param text what is to be done once; one of more than 255 characters is stored as its beginning and its SHA-256
     * @return false when a committed transaction has called this with the same text
     * @throws IllegalStateException when this thread runs in no transaction of this database, or a table is missing
     */
    public boolean first(String text) {
        return inTransaction(connection -> insert(connection, FIRST, keys.of(text)));
    }

    private boolean inTransaction(ConnectionCallback<Boolean> action) {
        try {
            return Boolean.TRUE.equals(jdbc.execute((ConnectionCallback<Boolean>) connection -> {
                requireTransaction(connection);
                return action.doInConnection(connection);
            }));
        } catch (BadSqlGrammarException missing) {
            throw new IllegalStateException(
                    "Fences could not use their tables. Create them with the script for this database in"
                            + " classpath:io/github/lockstarter/fence/, such as postgresql.sql",
                    missing);
        }
    }

    /** Without one, the row would be unlocked, and the text stored, before anything that depends on it happens. */
    private void requireTransaction(Connection connection) throws SQLException {
        Connection own = DataSourceUtils.getTargetConnection(connection); // not the template's view of it
        if (!DataSourceUtils.isConnectionTransactional(own, database) || own.getAutoCommit()) {
            throw new IllegalStateException("Fences were called outside of a transaction of their database, which would"
                    + " protect nothing. Call them inside of a method with @Transactional, whose transaction manager is"
                    + " that of the fences' DataSource");
        }
    }

    private void enter(Connection connection, String key, long token) throws SQLException {
        String stored = keys.of(key);
        boolean entered =
                switch (product(connection)) {
                    case POSTGRES -> change(connection, POSTGRES_RAISE, stored, token);
                    case "MySQL", "MariaDB" -> {
                        change(connection, MYSQL_RAISE, stored, token);
                        yield greatest(connection, stored) == token;
                    }
                    default ->
                        change(connection, UPDATE, token, token, stored)
                                || insert(connection, INSERT, stored, token)
                                || change(connection, UPDATE, token, token, stored);
                };
        if (!entered) {
            throw new OvertakenException(key, token, greatest(connection, stored));
        }
    }

    /** Returns false when the row is there. Waits for a transaction that inserts it. */
    private static boolean insert(Connection connection, String insert, Object... values) throws SQLException {
        if (product(connection).equals(POSTGRES)) { // where a statement that fails ends the transaction
            return change(connection, insert + " ON CONFLICT DO NOTHING", values);
        }
        try {
            return change(connection, insert, values);
        } catch (SQLIntegrityConstraintViolationException isThere) {
            return false;
        }
    }

    private static boolean change(Connection connection, String sql, Object... values) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < values.length; i++) {
                statement.setObject(i + 1, values[i]);
            }
            return statement.executeUpdate() > 0;
        }
    }

    private static long greatest(Connection connection, String stored) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(GREATEST)) {
            statement.setString(1, stored);
            try (ResultSet rows = statement.executeQuery()) {
                rows.next();
                return rows.getLong(1);
            }
        }
    }

    private static String product(Connection connection) throws SQLException {
        return connection.getMetaData().getDatabaseProductName();
    }
}
