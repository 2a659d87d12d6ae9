package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.BlockingWait;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * The notifications of PostgreSQL, where they are wanted. Thread-safe: {@code listener} is there from the first use on
 * a PostgreSQL, {@code isClosed} is set once.
 */
final class PostgresSignals implements AutoCloseable {

    /** A borrowed connection outlives the max-lifetime of its pool. */
    private static final Duration LONGEST_LOAN = Duration.ofMinutes(10);

    private final JdbcSettings settings;
    private final JdbcDatabase database;
    private final Waiters waiters;
    private final AtomicReference<Optional<PostgresListener>> listener = new AtomicReference<>(Optional.empty());
    private final Predicate<String> sender;
    private volatile boolean isClosed;

    PostgresSignals(JdbcSettings settings, JdbcDatabase database, Waiters waiters, Predicate<String> sender) {
        this.settings = settings;
        this.database = database;
        this.waiters = waiters;
        this.sender = sender;
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
        if (!isClosed && listener().isEmpty() && isWanted()) {
            start();
        }
    }

    private PostgresListener start() {
        PostgresListener fresh = new PostgresListener(
                database, waiters::receive, () -> waiters.listener().onMailboxRestored(), sender, LONGEST_LOAN);
        listener.compareAndSet(Optional.empty(), Optional.of(fresh));
        PostgresListener present = listener().orElse(fresh);
        present.start();
        if (isClosed) {
            present.stop(); // closed meanwhile
        }
        return present;
    }

    /** Waits until it listens, or has given that up, or the time is over. */
    void open(Duration limit) {
        BlockingWait.awaitUninterruptibly(start().tried(), limit);
    }

    /** Why nothing is heard, so that waiters look again by themselves. */
    Optional<String> problem() {
        return listener().flatMap(PostgresListener::problem);
    }

    @Override
    public void close() {
        isClosed = true;
        listener().ifPresent(PostgresListener::stop);
    }
}
