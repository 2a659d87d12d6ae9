package io.github.lockstarter.benchmarks.client;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.springframework.integration.jdbc.lock.DefaultLockRepository;
import org.springframework.integration.jdbc.lock.JdbcLockRegistry;
import org.springframework.integration.support.locks.DistributedLock;
import org.springframework.jdbc.support.JdbcTransactionManager;

/**
 * Spring Integration's {@code JdbcLockRegistry} on PostgreSQL, with a pool and transaction manager as Boot configures
 * them; otherwise the defaults: waiters poll every 100 ms. Version 7.1.0 has no scheduled renewal, and only the
 * holding thread can renew.
 */
final class SpringIntegrationJdbcClient implements LockClient {

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
