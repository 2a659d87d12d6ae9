package io.github.lockstarter.faults.worker;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.autoconfigure.jdbc.LockPools;
import io.github.lockstarter.etcd.EtcdLockBackend;
import io.github.lockstarter.etcd.EtcdSettings;
import io.github.lockstarter.faults.topology.Address;
import io.github.lockstarter.faults.topology.Postgres;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcSettings;
import io.github.lockstarter.jdbc.LockTable;
import io.github.lockstarter.kit.server.PostgresServer;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockBackend;
import io.github.lockstarter.zookeeper.ZooKeeperLockSettings;
import java.net.URI;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import javax.sql.DataSource;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.CuratorFrameworkFactory;
import org.apache.curator.retry.RetryOneTime;

/** Connects to the servers of a topology that is not of Redis. */
final class StoreBackends {

    private static final String PREFIX = "lock:";

    /** Short, so that a fault of some seconds outlasts it, and at most a lease. */
    static final Duration SESSION = Duration.ofSeconds(2);

    private static final int POOL_SIZE = 8;
    private static final int VALIDATION_MILLIS = 250;

    private StoreBackends() {}

    static LockBackend postgresql(Address address, WorkerOptions.Setup setup) {
        JdbcSettings settings = new JdbcSettings(
                PREFIX, LockTable.DEFAULT, Optional.empty(), Backends.COMMAND_TIMEOUT, 4, Duration.ofMillis(100));
        HikariDataSource application = pool(address);
        DataSource pool = setup.has(WorkerOptions.Guard.RECONNECTION)
                ? LockPools.besides(application, POOL_SIZE, Backends.COMMAND_TIMEOUT)
                : new FaithfulDataSource(application);
        return new JdbcLockBackend(pool, settings);
    }

    /** Without timeouts, as most applications configure it. Ends with the JVM. */
    private static HikariDataSource pool(Address address) {
        String[] node = address.nodes().get(0).split(":", -1);
        HikariConfig pool = new HikariConfig();
        pool.setJdbcUrl(PostgresServer.url(node[0], Integer.parseInt(node[1])) + "?sslmode=disable");
        pool.setUsername(Postgres.WORKERS);
        pool.setMaximumPoolSize(POOL_SIZE);
        pool.setConnectionTimeout(Backends.COMMAND_TIMEOUT.toMillis());
        pool.setValidationTimeout(VALIDATION_MILLIS);
        pool.setMinimumIdle(0);
        pool.setInitializationFailTimeout(-1);
        return new HikariDataSource(pool);
    }

    static LockBackend etcd(Address address) {
        List<URI> endpoints = address.nodes().stream()
                .map(node -> EtcdSettings.endpoint("http://" + node))
                .toList();
        return new EtcdLockBackend(
                new EtcdSettings(PREFIX, endpoints, Optional.empty(), Optional.empty(), Backends.COMMAND_TIMEOUT));
    }

    /**
     * How much longer a lock of a dead holder may stay after each election of a leader, which restarts sessions or
     * leases.
     */
    static Duration begunAnew(Address.Kind kind, Duration longestLease) {
        return switch (kind) {
            case ZOOKEEPER -> SESSION;
            case ETCD -> longestLease.plusSeconds(1); // in whole seconds
            default -> Duration.ZERO;
        };
    }

    static LockBackend zooKeeper(Address address) {
        CuratorFramework client = CuratorFrameworkFactory.builder()
                .connectString(String.join(",", address.nodes()))
                .sessionTimeoutMs((int) SESSION.toMillis())
                .connectionTimeoutMs((int) Backends.COMMAND_TIMEOUT.toMillis())
                .retryPolicy(new RetryOneTime(50))
                .build();
        ZooKeeperLockSettings settings = new ZooKeeperLockSettings("/locks", PREFIX, Backends.COMMAND_TIMEOUT, SESSION);
        return new ZooKeeperLockBackend(client, settings, client::close);
    }
}
