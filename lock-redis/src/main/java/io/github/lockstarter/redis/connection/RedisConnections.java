package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.connector.SeveralMastersException;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the link to Redis on demand; Lettuce then keeps it open. Lettuce does not detect a server that hangs or was
 * demoted, nor a second master: then the link is abandoned, and another is opened to the current master. A cluster's
 * link covers all nodes and is kept; the connection to the node is closed, and the topology refreshed.
 * <p>Thread-safe. One daemon thread opens, since opening blocks. This object's monitor guards all mutable fields;
 * nothing blocks and no user is called while holding it. {@code link} is null until commands may be sent directly:
 * connected, subscribed if there is a mailbox, and all earlier users served. Until then {@code waiting} contains these
 * users, with those that have timed out. One task of the event loop serves them and sets {@code link}: Lettuce writes
 * at once what the loop sends, so a command of the loop would overtake one that the opener's thread has sent before. An
 * attempt that is no longer current closes whatever it opened. A failed attempt fails its waiting users; the next
 * command starts another, or without one the mailbox's next pulse.
 */
public final class RedisConnections implements AutoCloseable {

    private static final Duration END_PATIENCE = Duration.ofSeconds(5);

    private enum Access {
        OPEN,
        REFUSED,
        STOPPED,
        CLOSED;

        CancellationException refusal() {
            return new CancellationException(
                    this == CLOSED ? "the lock client is closed" : "the lock client is stopped");
        }
    }

    private record User(String key, CompletableFuture<RedisLink> link) {}

    private final RedisConnector connector;
    private final Duration patience;
    private final ExecutorService opener;
    private final Duration pulse;
    private volatile @Nullable ConnectionPair link;
    private List<User> waiting = new ArrayList<>();
    private volatile @Nullable SignalMailbox mailbox;
    private @Nullable ConnectionAttempt attempt;
    private boolean retrying;
    private Access access = Access.OPEN;
    private @Nullable SeveralMastersException several;
    private volatile Consumer<RedisLink> check = link -> {};

    public RedisConnections(RedisConnector connector, RedisSettings settings) {
        this(connector, settings, pulse(connector, settings));
    }

    /** Finds a second master before it grants locks, if the grace period is longer than four command timeouts. */
    private static Duration pulse(RedisConnector connector, RedisSettings settings) {
        Duration share = settings.guard().grace().dividedBy(4);
        Duration wanted = share.compareTo(settings.commandTimeout()) < 0 ? settings.commandTimeout() : share;
        boolean limited = connector.hasStaticNodes() && !settings.guard().isOff();
        return limited && wanted.compareTo(MailboxConnection.PULSE) < 0 ? wanted : MailboxConnection.PULSE;
    }

    public RedisConnections(RedisConnector connector, RedisSettings settings, Duration pulse) {
        this.connector = connector;
        this.patience = settings.commandTimeout();
        this.opener = connector.opener();
        this.pulse = pulse;
    }

    /** Runs a check on the opener's thread before users get a link; its failure is theirs. */
    public void checkFirst(Consumer<RedisLink> next) {
        check = next;
    }

    /** Links to all servers with keys, by address in a cluster; empty if nothing is open. */
    public Map<String, CompletableFuture<RedisLink>> servers() {
        ConnectionPair open = link;
        return open == null ? Map.of() : open.toAll();
    }

    /** One slot of each master by address; empty if nothing is open, or for a single server. */
    public Map<String, Integer> slots() {
        ConnectionPair open = link;
        return open == null ? Map.of() : open.slots();
    }

    public boolean hearsSignals() {
        ConnectionPair open = link;
        return open != null
                && open.signals().filter(MailboxConnection::hearsSignals).isPresent();
    }

    public @Nullable RedisLink current(String key) {
        ConnectionPair open = link;
        return open == null ? null : open.to(key);
    }

    public Optional<String> nodeOf(String key) {
        ConnectionPair open = link;
        return open == null ? Optional.empty() : open.nodeOf(key);
    }

    /**
     * Completes a future with the open link, in order of arrival; opens it if necessary. After one command timeout the
     * future fails, so that its user never sends late; opening continues for others.
     *
     * @param opened earlier dependents send their commands in the order of the calls
     */
    public void link(String key, CompletableFuture<RedisLink> opened) {
        User user = new User(key, opened);
        try {
            Future<?> deadline = connector
                    .loop()
                    .schedule(
                            () -> user.link.completeExceptionally(
                                    new RedisCommandTimeoutException("The connection was not open in time")),
                            patience.toNanos(),
                            TimeUnit.NANOSECONDS);
            user.link.whenComplete((link, failure) -> deadline.cancel(false));
        } catch (RejectedExecutionException e) {
            // The client is closing, which ends every wait.
        }
        open(user);
    }

    /**
     * Blocks until the attempt ends, longer than one command timeout if the client's classes are yet to be loaded.
     * Returns the failure.
     */
    public Optional<Throwable> open(String key) {
        User user = new User(key, new CompletableFuture<>());
        open(user);
        return BlockingWait.awaitUninterruptibly(user.link.handle((any, failure) -> Optional.ofNullable(failure)));
    }

    private void open(User user) {
        ConnectionPair open;
        ConnectionAttempt begun = null;
        RuntimeException refusal = null;
        synchronized (this) {
            open = link;
            if (access != Access.OPEN) {
                refusal = several == null ? access.refusal() : several;
            } else if (open == null) {
                waiting.add(user);
                begun = begin(null);
            }
        }
        if (refusal != null) {
            user.link.completeExceptionally(refusal);
        } else if (open != null) {
            open.open(user.key, user.link);
        } else {
            launch(begun);
        }
    }

    /** Subscribes before any further command is sent, in place of an earlier mailbox of the same listener. */
    public void subscribe(SignalMailbox wanted) {
        launch(take(wanted));
    }

    private synchronized @Nullable ConnectionAttempt take(SignalMailbox wanted) {
        SignalMailbox former = mailbox;
        if (former != null && !former.hasListenerOf(wanted)) {
            throw new IllegalStateException("This Redis lock backend has a listener already; build one per engine");
        }
        mailbox = wanted;
        ConnectionPair open = link;
        link = null;
        return access == Access.OPEN ? begin(open) : null;
    }

    public synchronized void start() {
        access = access == Access.CLOSED ? access : Access.OPEN;
        several = null;
    }

    /** Fails all commands with this reason until the next {@link #start}, and disconnects. Does not block. */
    public void refuse(SeveralMastersException reason) {
        ConnectionPair open;
        List<User> stranded;
        synchronized (this) {
            if (access != Access.OPEN) {
                return;
            }
            access = Access.REFUSED;
            several = reason;
            open = link;
            link = null;
            attempt = null;
            stranded = takeWaiting();
        }
        stranded.forEach(user -> user.link.completeExceptionally(reason));
        if (open != null) {
            open.abandon(connector.loop(), patience);
        }
    }

    /** Why all commands fail, after {@link #refuse}. */
    public synchronized Optional<SeveralMastersException> refusal() {
        return Optional.ofNullable(several);
    }

    public void stop() {
        end(Access.STOPPED);
    }

    @Override
    public void close() {
        end(Access.CLOSED);
        opener.shutdown();
    }

    private void end(Access next) {
        ConnectionPair open;
        ConnectionAttempt underWay;
        List<User> stranded;
        CancellationException refusal;
        synchronized (this) {
            access = access == Access.CLOSED ? access : next;
            several = null;
            refusal = access.refusal();
            open = link;
            link = null;
            underWay = attempt;
            attempt = null;
            stranded = takeWaiting();
        }
        stranded.forEach(user -> user.link.completeExceptionally(refusal));
        if (open != null) {
            open.close();
        }
        if (underWay != null) { // one that hangs in the client closes whatever it opened when it continues
            BlockingWait.awaitUninterruptibly(underWay.ended, END_PATIENCE);
        }
    }

    /** Creates an attempt unless one is under way. The caller launches it outside of the lock, since that may fail. */
    private @Nullable ConnectionAttempt begin(@Nullable ConnectionPair open) {
        if (attempt != null) {
            return null;
        }
        ConnectionAttempt begun = new ConnectionAttempt(open);
        attempt = begun;
        return begun;
    }

    private void launch(@Nullable ConnectionAttempt begun) {
        if (begun == null) {
            return;
        }
        try {
            opener.execute(begun);
        } catch (Throwable e) {
            begun.fail(e, ConnectionPair::closeAsync);
        }
    }

    /** Opens the link of a mailbox after a pulse, since its user may send no command. One task at most. */
    private void retryLater() {
        boolean first = guarded(() -> {
            boolean due = access == Access.OPEN && mailbox != null && !retrying;
            retrying |= due;
            return due;
        });
        if (first) {
            try {
                connector.loop().schedule(this::retry, pulse.toNanos(), TimeUnit.NANOSECONDS);
            } catch (RejectedExecutionException e) {
                // The client is shutting down.
            }
        }
    }

    private void retry() {
        launch(guarded(() -> {
            retrying = false;
            return access == Access.OPEN && link == null ? begin(null) : null;
        }));
    }

    private ConnectionPair connected() {
        return new ConnectionPair(
                connector.connect(),
                connector.isCluster() ? any -> connector.refresh() : this::replace,
                connector::nanoTime);
    }

    private void replace(ConnectionPair unfit) {
        ConnectionAttempt begun = guarded(() -> {
            if (link != unfit) {
                return null;
            }
            link = null;
            return begin(null);
        });
        if (begun != null) {
            unfit.abandon(connector.loop(), patience);
            launch(begun);
        }
    }

    private synchronized <R extends @Nullable Object> R guarded(Supplier<R> step) {
        return step.get();
    }

    private List<User> takeWaiting() {
        List<User> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /**
     * An attempt to open the link, by the opener's thread and then by a task of the event loop, which begins again on
     * the opener's thread if a mailbox was added meanwhile. Only the one that runs uses {@code opened}.
     */
    private final class ConnectionAttempt implements Runnable {

        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private @Nullable ConnectionPair opened;

        /** @param open a link that lacks its subscription; null to connect */
        ConnectionAttempt(@Nullable ConnectionPair open) {
            this.opened = open;
        }

        @Override
        public void run() {
            try {
                checkCurrent();
                ConnectionPair connected = opened == null ? connect() : opened;
                checkCurrent();
                SignalMailbox wanted = mailbox;
                if (wanted != null && !connected.isSubscribedTo(wanted)) {
                    connected.subscribe(new MailboxConnection(
                            connector, pulse, opener, wanted, () -> connected.prove(wanted), () -> replace(connected)));
                }
                connector.loop().execute(() -> serve(connected));
            } catch (Throwable e) {
                // Errors too: without an outcome of this attempt, all later commands would wait forever.
                fail(e, ConnectionPair::close);
            }
        }

        private ConnectionPair connect() {
            ConnectionPair connected = connected();
            opened = connected; // before the check, whose failure closes it
            connected.check(check);
            return connected;
        }

        private void serve(ConnectionPair connected) {
            try {
                while (!publish(connected)) {
                    List<User> users = guarded(() -> {
                        checkCurrent();
                        return connected.isSubscribedTo(mailbox) ? takeWaiting() : List.<User>of();
                    });
                    if (users.isEmpty()) {
                        opener.execute(this);
                        return;
                    }
                    users.forEach(user -> connected.open(user.key, user.link));
                }
                ended.complete(null);
            } catch (Throwable e) {
                fail(e, ConnectionPair::closeAsync);
                return;
            }
            connector.lookForAnotherMaster(() -> replace(connected));
            SignalMailbox heard = link == null ? null : mailbox;
            if (heard != null) {
                heard.opened();
            }
        }

        void fail(Throwable failure, Consumer<ConnectionPair> closing) {
            try {
                abandon().forEach(user -> user.link.completeExceptionally(failure));
                if (opened != null) {
                    closing.accept(opened);
                }
            } finally {
                ended.complete(null);
                retryLater();
            }
        }

        private boolean publish(ConnectionPair connected) {
            return guarded(() -> {
                checkCurrent();
                boolean ready = waiting.isEmpty() && connected.isSubscribedTo(mailbox);
                if (ready) {
                    link = connected;
                    attempt = null;
                }
                return ready;
            });
        }

        private List<User> abandon() {
            return guarded(() -> {
                if (attempt != this) {
                    return List.of();
                }
                attempt = null;
                return takeWaiting();
            });
        }

        private void checkCurrent() {
            if (guarded(() -> attempt != this)) {
                throw Access.STOPPED.refusal();
            }
        }
    }
}
