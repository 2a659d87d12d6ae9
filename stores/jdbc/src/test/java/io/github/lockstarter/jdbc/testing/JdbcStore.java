package io.github.lockstarter.jdbc.testing;

import com.zaxxer.hikari.HikariDataSource;
import io.github.lockstarter.contract.LockStore;
import io.github.lockstarter.jdbc.JdbcDialect;
import io.github.lockstarter.jdbc.JdbcLockBackend;
import io.github.lockstarter.jdbc.JdbcSettings;
import io.github.lockstarter.jdbc.LockTable;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.StoreCapabilities;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Locks in a database: each application has a pool of its own, unless it {@linkplain #sharing shares} one. */
public final class JdbcStore implements LockStore {

    /** Outlasts a stall of a busy machine. */
    public static final Duration COMMAND_TIMEOUT = Duration.ofSeconds(20);

    private static final int CONNECTIONS = 6;

    private static final Map<TestDatabase, HikariDataSource> SHARED = new ConcurrentHashMap<>();

    private final List<JdbcLockBackend> opened = new ArrayList<>();
    private final List<HikariDataSource> pools = new ArrayList<>();
    private final TestDatabase database;
    private final Duration commandTimeout;
    private final Optional<DatabasePause> pause;
    private final Optional<HikariDataSource> shared;

    public JdbcStore(TestDatabase database) {
        this(database, COMMAND_TIMEOUT, Optional.empty(), Optional.empty());
    }

    private JdbcStore(
            TestDatabase database,
            Duration commandTimeout,
            Optional<DatabasePause> pause,
            Optional<HikariDataSource> shared) {
        this.database = database;
        this.commandTimeout = commandTimeout;
        this.pause = pause;
        this.shared = shared;
    }

    /** A store that can be paused. */
    public static JdbcStore pausable(TestDatabase database, Duration commandTimeout) {
        return new JdbcStore(database, commandTimeout, Optional.of(DatabasePause.of(database)), Optional.empty());
    }

    /** Applications on one pool, which stays open: to connect takes longer than most tests of a suite. */
    public static JdbcStore sharing(TestDatabase database) {
        HikariDataSource pool = SHARED.computeIfAbsent(database, each -> each.pool(5 * CONNECTIONS));
        return new JdbcStore(database, COMMAND_TIMEOUT, Optional.empty(), Optional.of(pool));
    }

    /** Looks again soon, and leaves the dialect to be found out. */
    public static JdbcSettings settings() {
        return settings(COMMAND_TIMEOUT);
    }

    /** The same with another command timeout. */
    public static JdbcSettings settings(Duration commandTimeout) {
        return settings(Optional.empty(), commandTimeout);
    }

    private static JdbcSettings settings(Optional<JdbcDialect> dialect, Duration commandTimeout) {
        return new JdbcSettings("lock:", LockTable.DEFAULT, dialect, commandTimeout, 4, Duration.ofMillis(20));
    }

    @Override
    public LockBackend connect() {
        HikariDataSource pool = shared.orElseGet(this::ownPool);
        JdbcLockBackend backend = new JdbcLockBackend(pool, settings(named(), commandTimeout));
        opened.add(backend);
        backend.start();
        return backend;
    }

    private HikariDataSource ownPool() {
        HikariDataSource pool = database.pool(pause.map(DatabasePause::url).orElse(database.url()), CONNECTIONS);
        pools.add(pool);
        return pool;
    }

    /** Settings that the driver does not report. */
    private Optional<JdbcDialect> named() {
        return Optional.of(database.dialect()).filter(JdbcDialect.MYSQL::equals);
    }

    @Override
    public Signals signals() {
        return Signals.NONE;
    }

    @Override
    public StoreCapabilities capabilities() {
        return new StoreCapabilities(1024, true, true, true, false);
    }

    @Override
    public Optional<Duration> commandTimeout() {
        return pause.map(any -> commandTimeout);
    }

    @Override
    public void pause() {
        pause.orElseThrow().begin();
    }

    @Override
    public void resume() {
        pause.ifPresent(DatabasePause::end);
    }

    @Override
    public void close() {
        opened.forEach(JdbcLockBackend::close);
        pools.forEach(HikariDataSource::close);
        pause.ifPresent(DatabasePause::close);
    }
}
