package io.github.lockstarter.fence;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
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
 * Makes a database reject writes of a holder that has lost its lock, for example during a pause. Call {@link #enter()}
 * first in the protected transaction:
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
 * <p>It writes the lock's {@linkplain LockHandle#fencingToken() fencing token} into a row for the lock's key, unless
 * the row has a greater one, and locks the row until the transaction ends: transactions of one key are serial, in the
 * order of their tokens. The next holder waits in {@code enter()} for one that is paused inside its transaction.
 *
 * <p>The application creates the tables with a script of this package. Needs {@code READ COMMITTED} or a stricter
 * isolation. Thread-safe. Blocks, so do not call it in reactive code.
 */
public final class Fences {

    private static final String INSERT = "INSERT INTO distributed_lock_fence (lock_key, fencing_token) VALUES (?, ?)";

    /** Updates no row if the stored token is greater. */
    private static final String POSTGRES_RAISE = INSERT
            + " ON CONFLICT (lock_key) DO UPDATE SET fencing_token = EXCLUDED.fencing_token"
            + " WHERE distributed_lock_fence.fencing_token <= EXCLUDED.fencing_token";

    /**
     * An update without a matching row would lock its gap, so two transactions' inserts would deadlock. The
     * affected-row count depends on driver settings, so it is not used.
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
     * Creates the fences.
     *
     * @param database DataSource of the protected transactions
     */
    public Fences(DataSource database) {
        this.database = database;
        this.jdbc = new JdbcTemplate(database);
    }

    /**
     * Enters the current transaction with all locks of this thread, in the order of their keys: those of {@link
     * LockHandle#allCurrent()} and of the {@link LockContext} of asynchronous work, not those of {@link
     * LockOperations#acquire}, or that are only read. Repeatable.
     *
     * @throws OvertakenException if a later holder of a lock has entered; roll the transaction back
     * @throws DataAccessException if the row stays locked too long, or the transaction cannot be serialized; roll it
     *     back
     * @throws IllegalStateException if this thread runs under no lock or in no transaction of this database, or a table
     *     is missing. With auto-commit disabled in the connection pool, another database's transaction is not detected
     */
    public void enter() {
        SortedMap<String, Long> tokens = HeldFencingTokens.ofThread();
        inTransaction(product -> {
            tokens.forEach((key, token) -> enter(product, key, token));
            return true;
        });
    }

    /**
     * Records a text in the current transaction, for work that must be done once, such as handling a redelivered
     * message. Waits for a transaction that has recorded the same text. Needs no lock.
     *
     * @param text name of the work; stored as prefix and SHA-256 beyond 255 characters
     * @return false if a committed transaction or this one has recorded it
     * @throws IllegalStateException if this thread runs in no transaction of this database, or a table is missing
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

    /** Auto-commit would unlock the row, or store the text, before the dependent statements. */
    private String productInTransaction() {
        String product = jdbc.execute((ConnectionCallback<String>) connection -> {
            Connection own = DataSourceUtils.getTargetConnection(connection); // the template passes a proxy
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

    /** Returns false if the row exists. Waits for a transaction that inserts it. */
    private boolean insert(String product, String insert, Object... values) {
        try {
            return switch (product) {
                case POSTGRES -> change(insert + " ON CONFLICT DO NOTHING", values); // an error ends the transaction
                case "MySQL", "MariaDB" -> change(insert.replace("INSERT", "INSERT IGNORE"), values); // warns
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
