package io.github.lockstarter.benchmarks.client;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's {@code JdbcLockRegistry} on PostgreSQL, on a pool and with a transaction manager as Boot sets
 * them up; all else is its default: a waiter asks every 100 ms.
 *
 * <p>It renews nothing by itself, and only the thread that holds a lock can: 7.1.0 has no scheduler for it. It shares
 * one local lock among the names of a stripe, as {@link SpringIntegrationClient} does.
 */
final class SpringIntegrationJdbcClient implements LockClient {

    static final Duration RETRY_INTERVAL = Duration.ofMillis(100);

    private static final String SCRIPT = "org/springframework/integration/jdbc/schema-postgresql.sql";

    private final HikariDataSource pool;
    private final DefaultLockRepository repository;
    private final JdbcLockRegistry registry;

    SpringIntegrationJdbcClient(String url, Duration expiry) {
        this.pool = PostgresPool.open(url, "int_lock", SCRIPT);
        this.repository = new DefaultLockRepository(pool);
        repository.setTransactionManager(new JdbcTransactionManager(pool));
        repository.afterPropertiesSet();
        repository.afterSingletonsInstantiated();
        repository.start();
        this.registry = new JdbcLockRegistry(repository, expiry);
    }

    @Override
    public Hold acquire(String key, Duration wait) throws InterruptedException {
        DistributedLock lock = registry.obtain(key);
        if (!lock.tryLock(wait.toMillis(), TimeUnit.MILLISECONDS)) {
            throw new IllegalStateException("Not acquired within " + wait + ": " + key);
        }
        return lock::unlock;
    }

    @Override
    public void close() {
        repository.stop();
        pool.close();
    }
}
