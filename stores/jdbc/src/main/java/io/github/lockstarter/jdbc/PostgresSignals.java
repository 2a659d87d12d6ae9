package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.BlockingWait;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

/**
 * The notifications of PostgreSQL, where they are wanted, and the keys for which this instance waits. Thread-safe:
 * {@code waiting} has the keys with a wait under way, {@code hashed} those keys that cannot be read from their stored
 * form; {@code listener} is there from the first use on a PostgreSQL, {@code isClosed} is set once.
 */
final class PostgresSignals implements AutoCloseable {

    /** A borrowed connection outlives the max-lifetime of its pool. */
    private static final Duration LONGEST_LOAN = Duration.ofMinutes(10);

    /** A notification about a forgotten key is missed, which the next look or renewal makes up for. */
    private static final int MOST_HASHED = 10_000;

    private record Mailbox(String instance, SignalListener listener) {}

    private final JdbcSettings settings;
    private final JdbcDatabase database;
    private final Predicate<String> sender;
    private final ConcurrentMap<String, String> waiting = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> hashed = new ConcurrentHashMap<>();
    private final AtomicReference<Optional<PostgresListener>> listener = new AtomicReference<>(Optional.empty());
    private volatile Optional<Mailbox> mailbox = Optional.empty();
    private volatile boolean isClosed;

    /**
     * Hears nothing yet.
     *
     * @param sender sends a notification over a connection of the pool; false if it could not
     */
    PostgresSignals(JdbcSettings settings, JdbcDatabase database, Predicate<String> sender) {
        this.settings = settings;
        this.database = database;
        this.sender = sender;
    }

    /** Whom to tell. */
    void listen(String instanceId, SignalListener receiver) {
        mailbox = Optional.of(new Mailbox(LockToken.shortened(instanceId), receiver));
    }

    /** Whether the database notifies, as far as it is known, and the configuration wants it. */
    boolean isWanted() {
        return settings.listen()
                && database.knownDialect()
                        .filter(JdbcDialect.POSTGRESQL::equals)
                        .isPresent();
    }

    /** Listens from soon on, unless it does. */
    void startIfWanted() {
        if (!isClosed && listener().isEmpty() && isWanted()) {
            PostgresListener fresh =
                    new PostgresListener(database, this::receive, this::restored, sender, LONGEST_LOAN);
            if (listener.compareAndSet(Optional.empty(), Optional.of(fresh))) {
                fresh.start();
            }
            if (isClosed) {
                close(); // closed meanwhile
            }
        }
    }

    /** Waits until it listens, or has given that up, or the time is over. */
    void awaitOpen(Duration limit) {
        listener().ifPresent(present -> BlockingWait.awaitUninterruptibly(present.tried(), limit));
    }

    boolean isOpen() {
        return listener().filter(PostgresListener::isOpen).isPresent();
    }

    /** Why nothing is heard, so that waiters look again by themselves. */
    Optional<String> problem() {
        return listener().flatMap(PostgresListener::problem);
    }

    private Optional<PostgresListener> listener() {
        return Objects.requireNonNull(listener.get());
    }

    @Override
    public void close() {
        isClosed = true;
        listener().ifPresent(PostgresListener::close);
    }

    /** An attempt begins; a notification may come before its answer. */
    void begin(String stored, AcquireCommand command) {
        if (command.waiting().isPresent()) {
            waiting.put(stored, command.key());
        }
        if (!stored.equals(settings.keyPrefix() + command.key())) {
            if (hashed.size() >= MOST_HASHED) {
                hashed.clear();
            }
            hashed.put(stored, command.key());
        }
    }

    /** The wait is over. */
    void end(String stored) {
        waiting.remove(stored);
    }

    private void receive(PostgresNotice notice) {
        mailbox.ifPresent(present -> {
            String waited = waiting.get(notice.key());
            if (waited != null) {
                present.listener().onSignal(waited, 0);
            }
            notice.revoked()
                    .filter(revoked -> revoked.instance().equals(present.instance()))
                    .ifPresent(revoked -> present.listener().onRevoked(keyOf(notice.key()), revoked.fingerprint()));
        });
    }

    private String keyOf(String stored) {
        String known = hashed.get(stored);
        String prefix = settings.keyPrefix();
        return known == null && stored.startsWith(prefix)
                ? stored.substring(prefix.length())
                : Objects.requireNonNullElse(known, stored);
    }

    private void restored() {
        mailbox.ifPresent(present -> present.listener().onMailboxRestored());
    }
}
