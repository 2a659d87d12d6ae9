package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.connector.RedisConnector;
import io.github.lockstarter.redis.settings.RedisSettings;
import io.github.lockstarter.spi.BlockingWait;
import io.lettuce.core.RedisCommandTimeoutException;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Opens the link to Redis when it is needed and not open yet; once open, Lettuce keeps it up. A server that hangs, or
 * that was demoted, is no failure to Lettuce: then the link is given up, and opened again to where Redis is now. In a
 * cluster the link is to all nodes, so that it is kept, and the client asks the nodes again which of them has what.
 *
 * <p>Any thread calls. One daemon thread of its own opens, since opening blocks; it ends when idle. {@code lock} guards
 * all mutable fields; nothing blocks under it, and no user is called under it. {@code link} is null until commands may
 * be sent: connected, subscribed as soon as there is a mailbox, and the commands that came before are sent, so that
 * none overtakes another. {@code waiting} has the users that wait for that. {@code attempt} is the attempt to get
 * there, null when none is under way. One that is not the current one any more closes what it opened. One that fails
 * is over, and so are the waits for it; the next command starts another. {@code access} goes from open to stopped and
 * back, and from either to closed.
 */
public final class RedisConnections implements AutoCloseable {

    private static final Duration END_PATIENCE = Duration.ofSeconds(5);

    /** Whether commands are accepted. */
    private enum Access {
        /** They are, and connect if need be. */
        OPEN,
        /** Not until the next start. */
        STOPPED,
        /** Never again. */
        CLOSED;

        CancellationException refusal() {
            return new CancellationException(
                    this == STOPPED ? "the lock client is stopped" : "the lock client is closed");
        }
    }

    /** Who needs the link to the server of a key. */
    private record User(String key, CompletableFuture<RedisLink> link) {}

    private final RedisConnector connector;
    private final Duration patience;
    private final ExecutorService opener;
    private final Duration pulse;
    private final ReentrantLock lock = new ReentrantLock();
    private volatile @Nullable ConnectionPair link;
    private Set<User> waiting = new LinkedHashSet<>();
    private volatile @Nullable SignalMailbox mailbox;
    private @Nullable Attempt attempt;
    private Access access = Access.OPEN;

    /**
     * Opens nothing yet.
     *
     * @param connector opens the connections
     * @param settings how long a user waits for the link: one command timeout
     */
    public RedisConnections(RedisConnector connector, RedisSettings settings) {
        this(connector, settings, MailboxConnection.PULSE);
    }

    /** With another time between two looks at the mailbox. */
    public RedisConnections(RedisConnector connector, RedisSettings settings, Duration pulse) {
        this.connector = connector;
        this.patience = settings.commandTimeout();
        this.opener = connector.opener();
        this.pulse = pulse;
    }

    /** The open links to all servers that have keys, by what messages call the server; none if nothing is open. */
    public Map<String, CompletableFuture<RedisLink>> servers() {
        ConnectionPair open = link;
        return open == null ? Map.of() : open.toAll();
    }

    /** One slot of each server of a cluster; none if nothing is open, or there is one server. */
    public Map<String, Integer> slots() {
        ConnectionPair open = link;
        return open == null ? Map.of() : open.slots();
    }

    /** Whether signals arrive now, as far as the client can tell. */
    public boolean hearsSignals() {
        return signals().filter(MailboxConnection::hearsSignals).isPresent();
    }

    /** Subscribes on another connection, since the server does not know the present one. Returns at once. */
    public void resubscribe() {
        signals().ifPresent(MailboxConnection::replace);
    }

    private Optional<MailboxConnection> signals() {
        return Optional.ofNullable(link).map(ConnectionPair::signals);
    }

    /** The open link to the server of a key, or null. */
    public @Nullable RedisLink current(String key) {
        ConnectionPair open = link;
        return open == null ? null : open.to(key);
    }

    /** The address of the node of a cluster that has a key; empty as long as none is known. */
    public Optional<String> nodeOf(String key) {
        ConnectionPair open = link;
        return open == null ? Optional.empty() : open.nodeOf(key);
    }

    /**
     * Completes a future with the link to the server of a key as soon as it is open, first come first; opens it unless
     * it is. After one command timeout the future fails, so that its user never sends late; the attempt to open the
     * link goes on for others.
     *
     * @param key decides which server it is
     * @param opened what depends on it before this call sends its commands in the order of the calls
     */
    public void link(String key, CompletableFuture<RedisLink> opened) {
        User user = new User(key, opened);
        try {
            Future<?> deadline = connector
                    .timer()
                    .schedule(
                            () -> user.link.completeExceptionally(
                                    new RedisCommandTimeoutException("The connection was not open in time")),
                            patience.toNanos(),
                            TimeUnit.NANOSECONDS);
            user.link.whenComplete((link, failure) -> {
                deadline.cancel(false);
                forget(user);
            });
        } catch (RejectedExecutionException e) {
            // The client is being closed, which ends every wait.
        }
        open(user);
    }

    /**
     * Opens the link to the server of a key unless it is open, and blocks until that is done: a start waits for the end
     * of the attempt, which takes longer than one command timeout where the client's classes are yet to be loaded.
     *
     * @return why it could not be opened; empty if it is open
     */
    public Optional<Throwable> open(String key) {
        User user = new User(key, new CompletableFuture<>());
        open(user);
        return BlockingWait.awaitUninterruptibly(user.link.handle((any, failure) -> Optional.ofNullable(failure)));
    }

    private void open(User user) {
        ConnectionPair open;
        Attempt begun = null;
        CancellationException refusal = null;
        lock.lock();
        try {
            open = link;
            if (access != Access.OPEN) {
                refusal = access.refusal();
            } else if (open == null) {
                waiting.add(user);
                begun = begin(null);
            }
        } finally {
            lock.unlock();
        }
        if (refusal != null) {
            user.link.completeExceptionally(refusal);
        } else if (open != null) {
            open.open(user.key, user.link);
        } else {
            launch(begun);
        }
    }

    private void forget(User user) {
        lock.lock();
        try {
            waiting.remove(user);
        } finally {
            lock.unlock();
        }
    }

    /** Subscribes before any further command is sent. */
    public void subscribe(SignalMailbox wanted) {
        Attempt begun = null;
        lock.lock();
        try {
            if (mailbox != null) {
                throw new IllegalStateException("This Redis lock backend has a listener already; build one per engine");
            }
            mailbox = wanted;
            if (access == Access.OPEN) {
                ConnectionPair open = link;
                link = null;
                begun = begin(open);
            }
        } finally {
            lock.unlock();
        }
        launch(begun);
    }

    /** Lets commands open the link again after {@link #stop}. */
    public void start() {
        lock.lock();
        try {
            access = access == Access.STOPPED ? Access.OPEN : access;
        } finally {
            lock.unlock();
        }
    }

    /** Ends the link, also one that is being opened, and refuses commands until {@link #start}. */
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
        Attempt underWay;
        Set<User> stranded;
        CancellationException refusal;
        lock.lock();
        try {
            access = access == Access.CLOSED ? access : next;
            refusal = access.refusal();
            open = link;
            link = null;
            underWay = attempt;
            attempt = null;
            stranded = takeWaiting();
        } finally {
            lock.unlock();
        }
        stranded.forEach(user -> user.link.completeExceptionally(refusal));
        if (open != null) {
            open.close();
        }
        if (underWay != null) {
            underWay.awaitEnd();
        }
    }

    /** Makes an attempt unless one is under way. It is launched outside of the lock, since that may fail. */
    private @Nullable Attempt begin(@Nullable ConnectionPair open) {
        if (attempt != null) {
            return null;
        }
        Attempt begun = new Attempt(open);
        attempt = begun;
        return begun;
    }

    private void launch(@Nullable Attempt begun) {
        if (begun == null) {
            return;
        }
        try {
            opener.execute(begun);
        } catch (Throwable e) {
            begun.fail(e);
        }
    }

    private ConnectionPair connected() {
        return new ConnectionPair(
                connector.connect(),
                connector.isCluster() ? any -> connector.refresh() : this::replace,
                connector::nanoTime);
    }

    /** Gives a link up, and opens another one; what is under way on it fails. Returns at once. */
    private void replace(ConnectionPair unfit) {
        Attempt begun;
        lock.lock();
        try {
            if (link != unfit) {
                return;
            }
            link = null;
            begun = begin(null);
        } finally {
            lock.unlock();
        }
        unfit.abandon(connector.timer(), patience);
        launch(begun);
    }

    private Set<User> takeWaiting() {
        Set<User> taken = waiting;
        waiting = new LinkedHashSet<>();
        return taken;
    }

    /** One attempt to open the link. Only the opener's thread uses {@code opened}, once it runs. */
    private final class Attempt implements Runnable {

        private final CompletableFuture<Void> ended = new CompletableFuture<>();
        private @Nullable ConnectionPair opened;

        /** Goes on from a link that is open and lacks its subscription, or from nothing. */
        Attempt(@Nullable ConnectionPair open) {
            this.opened = open;
        }

        @Override
        public void run() {
            try {
                checkCurrent();
                ConnectionPair connected = opened == null ? connected() : opened;
                opened = connected;
                while (!publish(connected)) {
                    serve(connected);
                }
                ended.complete(null);
            } catch (Throwable e) {
                // An Error, too: an attempt that neither succeeds nor fails would let every later command wait for
                // ever.
                fail(e);
                return;
            }
            SignalMailbox heard = link == null ? null : mailbox;
            if (heard != null) {
                heard.opened();
            }
        }

        void fail(Throwable failure) {
            try {
                abandon().forEach(user -> user.link.completeExceptionally(failure));
                if (opened != null) {
                    opened.close();
                }
            } finally {
                ended.complete(null);
            }
        }

        void awaitEnd() {
            try {
                BlockingWait.await(ended, END_PATIENCE);
            } catch (TimeoutException e) {
                // It hangs in the client; once it goes on, it closes what it opened.
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Lets commands take the link directly, unless something is to be done before. */
        private boolean publish(ConnectionPair connected) {
            lock.lock();
            try {
                checkCurrent();
                boolean ready = waiting.isEmpty() && (mailbox == null || connected.signals() != null);
                if (ready) {
                    link = connected;
                    attempt = null;
                }
                return ready;
            } finally {
                lock.unlock();
            }
        }

        private void serve(ConnectionPair connected) {
            SignalMailbox missing = connected.signals() != null ? null : mailbox;
            if (missing != null) {
                connected.subscribe(new MailboxConnection(connector, pulse, opener, missing));
            }
            users().forEach(user -> connected.open(user.key, user.link));
        }

        private Set<User> users() {
            lock.lock();
            try {
                checkCurrent();
                return takeWaiting();
            } finally {
                lock.unlock();
            }
        }

        private Set<User> abandon() {
            lock.lock();
            try {
                if (attempt != this) {
                    return Set.of();
                }
                attempt = null;
                return takeWaiting();
            } finally {
                lock.unlock();
            }
        }

        private void checkCurrent() {
            lock.lock();
            try {
                if (attempt != this) {
                    throw Access.STOPPED.refusal();
                }
            } finally {
                lock.unlock();
            }
        }
    }
}
