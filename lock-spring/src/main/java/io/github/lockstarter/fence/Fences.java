package io.github.lockstarter.fence;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.OvertakenException;
import io.github.lockstarter.spi.StoredKeys;
import java.sql.Connection;
import java.util.Objects;
import java.util.SortedMap;
import java.util.function.Predicate;
import javax.sql.DataSource;
import org.springframework.dao.DataAccessException;
import org.springframework.dao.DuplicateKeyException;
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
 * paused in the middle of its transaction makes the next one wait in {@code enter()}, at most until the timeout of the
 * waiting transaction, or the database's limit for a row lock.
 *
 * <p>The tables {@code distributed_lock_fence} and {@code distributed_lock_once} are created by the application, with
 * the scripts {@code postgresql.sql}, {@code h2.sql}, and {@code mysql.sql} for MySQL and MariaDB, beside this class.
 * The isolation is {@code READ COMMITTED} or above. Enter before the first read: data that was read before may be out
 * of date.
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
     * @param database the database whose transactions use them
     */
    public Fences(DataSource database) {
        this.database = database;
        this.jdbc = new JdbcTemplate(database);
    }

    /**
     * Enters the running transaction with each lock under which this thread runs, in the order of the keys: those of
     * {@link LockHandle#allCurrent()}, and those of the {@link LockContext} of asynchronous work. A lock that is held
     * by {@link LockOperations#acquire} alone is not among them. One statement for each key in PostgreSQL, two in MySQL
     * and MariaDB, one in H2, and up to three there for a new key. May be repeated in the same transaction.
     *
     * @throws OvertakenException when a later holder of a lock has entered; the transaction must be rolled back, as
     *     {@code @Transactional} does
     * @throws DataAccessException when the row stays locked for longer than the transaction's timeout or the database's
     *     limit, or the database cannot serialize the transaction; it must be rolled back
     * @throws IllegalStateException when this thread runs under no lock, or in no transaction of this database, or when
     *     a table is missing; the message says what to do. The transaction of another database is taken for one of this
     *     if the connection pool has auto-commit off
     */
    public void enter() {
        SortedMap<String, Long> tokens = FencingTokens.ofThread();
        inTransaction(product -> {
            tokens.forEach((key, token) -> enter(product, key, token));
            return true;
        });
    }

    /**
     * Records a text, and returns whether no committed transaction has recorded it before: for work that must be done
     * once, such as the handling of a message that may be delivered twice. The record is committed or rolled back with
     * the transaction. Waits for another transaction that has recorded the same text and is still running. Needs no
     * lock.
     *
     * <pre>{@code
     * if (fences.first("webhook:" + event.id())) { … }
     * }</pre>
     *
     * @param text name of the work; one of more than 255 characters is stored as its beginning and its SHA-256
     * @return false when a committed transaction, or this one, has called this with the same text
     * @throws IllegalStateException when this thread runs in no transaction of this database, or a table is missing
     */
    public boolean first(String text) {
        return inTransaction(product -> insert(product, FIRST, keys.of(text)));
    }

    private boolean inTransaction(Predicate<String> action) {
        try {
            return action.test(productInTransaction());
        } catch (BadSqlGrammarException missing) {
            throw new IllegalStateException(
                    "Fences could not use their tables. Create them with the script for this database in"
                            + " classpath:io/github/lockstarter/fence/, such as postgresql.sql",
                    missing);
        }
    }

    /** Without a transaction, the row would be unlocked, and the text stored, before anything that depends on it. */
    private String productInTransaction() {
        String product = jdbc.execute((ConnectionCallback<String>) connection -> {
            Connection own = DataSourceUtils.getTargetConnection(connection); // not the template's view of it
            if (!DataSourceUtils.isConnectionTransactional(own, database) || own.getAutoCommit()) {
                throw new IllegalStateException("Fences were called outside of a transaction of their database, which"
                        + " would protect nothing. Call them inside of a method with @Transactional, whose transaction"
                        + " manager is that of the fences' DataSource");
            }
            return connection.getMetaData().getDatabaseProductName();
        });
        return Objects.requireNonNull(product);
    }

    private void enter(String product, String key, long token) {
        String stored = keys.of(key);
        boolean entered =
                switch (product) {
                    case POSTGRES -> change(POSTGRES_RAISE, stored, token);
                    case "MySQL", "MariaDB" -> {
                        change(MYSQL_RAISE, stored, token);
                        yield greatest(stored) == token;
                    }
                    default ->
                        change(UPDATE, token, token, stored)
                                || insert(product, INSERT, stored, token)
                                || change(UPDATE, token, token, stored);
                };
        if (!entered) {
            throw new OvertakenException(key, token, greatest(stored));
        }
    }

    /** Returns false when the row is there. Waits for a transaction that inserts it. */
    private boolean insert(String product, String insert, Object... values) {
        try {
            return switch (product) {
                case POSTGRES -> change(insert + " ON CONFLICT DO NOTHING", values); // a failure ends the transaction
                case "MySQL", "MariaDB" -> change(insert.replace("INSERT", "INSERT IGNORE"), values); // else a warning
                default -> change(insert, values);
            };
        } catch (DuplicateKeyException isThere) {
            return false;
        }
    }

    private boolean change(String sql, Object... values) {
        return jdbc.update(sql, values) > 0;
    }

    private long greatest(String stored) {
        return Objects.requireNonNull(jdbc.queryForObject(GREATEST, Long.class, stored));
    }
}
