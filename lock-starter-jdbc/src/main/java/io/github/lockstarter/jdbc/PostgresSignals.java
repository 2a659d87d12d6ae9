package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import javax.sql.DataSource;

/**
 * The notifications of PostgreSQL, where they are wanted. Thread-safe: {@code listener} is there from the first use on a
 * PostgreSQL, {@code isGivenUp} is set once.
 */
final class PostgresSignals implements AutoCloseable {

    private final DataSource source;
    private final JdbcSettings settings;
    private final JdbcDatabase database;
    private final Waiters waiters;
    private final AtomicReference<Optional<PostgresListener>> listener = new AtomicReference<>(Optional.empty());
    private volatile boolean isGivenUp;

    PostgresSignals(DataSource source, JdbcSettings settings, JdbcDatabase database, Waiters waiters) {
        this.source = source;
        this.settings = settings;
        this.database = database;
        this.waiters = waiters;
    }

    private Optional<PostgresListener> listener() {
        return Objects.requireNonNull(listener.get());
    }

    /** Whether the database notifies, as far as it is known, and the configuration wants it. */
    boolean isWanted() {
        return settings.listen()
                && database.knownDialect()
                        .filter(JdbcDialect.POSTGRESQL::equals)
                        .isPresent();
    }

    boolean isOpen() {
        return listener().filter(PostgresListener::isOpen).isPresent();
    }

    /** Listens from soon on, unless it does. */
    void startIfWanted() {
        if (!isGivenUp && listener().isEmpty() && isWanted()) {
            start();
        }
    }

    private PostgresListener start() {
        PostgresListener fresh =
                new PostgresListener(source, settings.table().channel(), waiters::receive, () -> waiters.listener()
                        .onMailboxRestored());
        listener.compareAndSet(Optional.empty(), Optional.of(fresh));
        PostgresListener present = listener().orElse(fresh);
        present.start();
        return present;
    }

    /** Waits until it listens, or the time is over. */
    void open(Duration limit) {
        BlockingWait.awaitUninterruptibly(start().opened(), limit);
    }

    /** There is no connection to spare: waiters look again by themselves. */
    void giveUp() {
        close();
    }

    @Override
    public void close() {
        isGivenUp = true;
        listener().ifPresent(PostgresListener::stop);
    }
}
