package io.github.lockstarter.redis;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Opens the link to Redis when it is needed and not open yet; once open, Lettuce keeps it up.
 *
 * <p>Any thread calls. One daemon thread of its own opens, since opening blocks; it ends when idle. The monitor guards all
 * mutable fields; nothing blocks under it, and nobody is called back under it. {@code link} is null until commands may be
 * sent: connected, subscribed as soon as there is a mailbox, and the commands that came before are sent, so that none
 * overtakes another. An attempt that fails is over, and so are those who waited for it; the next command starts another.
 */
final class RedisConnections implements AutoCloseable {

    private static final Duration CLOSE_PATIENCE = Duration.ofSeconds(5);

    private final RedisConnector connector;
    private final ExecutorService opener;
    private volatile @Nullable RedisLink link;
    private List<Waiting> waiting = new ArrayList<>();
    private @Nullable Mailbox mailbox;
    private State state = State.IDLE;

    RedisConnections(RedisConnector connector) {
        this.connector = connector;
        this.opener = new ThreadPoolExecutor(
                0, 1, 1, TimeUnit.SECONDS, new LinkedBlockingQueue<>(), RedisConnections::daemon);
    }

    /** The open link, or null. */
    @Nullable
    RedisLink current() {
        return link;
    }

    /** Hands the link over as soon as it is open, first come first; opens it unless it is. */
    void whenOpen(Waiting user) {
        RedisLink open;
        synchronized (this) {
            open = link;
            if (open == null && state != State.CLOSED) {
                waiting.add(user);
                begin(this::connect);
                return;
            }
        }
        if (open != null) {
            user.onOpen(open);
        } else {
            user.onFailure(closed());
        }
    }

    /** Subscribes before any further command is sent. */
    synchronized void subscribe(Mailbox wanted) {
        if (mailbox != null) {
            throw new IllegalStateException("This Redis lock backend has its listener; build one per lock engine");
        }
        mailbox = wanted;
        RedisLink open = link;
        link = null;
        begin(open != null ? () -> open : this::connect);
    }

    /** Ends an open link; the next command opens another. */
    void disconnect() {
        RedisLink open;
        synchronized (this) {
            open = link;
            link = null;
        }
        if (open != null) {
            open.close();
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            state = State.CLOSED;
        }
        disconnect();
        opener.execute(() -> abandon(closed()));
        opener.shutdown();
        awaitOpener();
        connector.close();
    }

    private void begin(Supplier<RedisLink> connected) {
        if (state == State.IDLE) {
            state = State.OPENING;
            opener.execute(() -> open(connected));
        }
    }

    private void open(Supplier<RedisLink> connected) {
        RedisLink opened = null;
        try {
            opened = connected.get();
            while (!publish(opened)) {
                serve(opened);
            }
        } catch (RuntimeException e) {
            if (opened != null) {
                opened.close();
            }
            abandon(e);
        }
    }

    /** Lets commands take the link directly, unless something is to be done before. */
    private synchronized boolean publish(RedisLink opened) {
        if (state == State.CLOSED) {
            throw closed();
        }
        boolean ready = waiting.isEmpty() && (mailbox == null || opened.isSubscribed());
        if (ready) {
            link = opened;
            state = State.IDLE;
        }
        return ready;
    }

    private void serve(RedisLink opened) {
        Mailbox missing = opened.isSubscribed() ? null : mailbox();
        if (missing != null) {
            opened.subscribe(missing, connector.connectPubSub());
        }
        takeWaiting().forEach(user -> user.onOpen(opened));
    }

    private void abandon(RuntimeException failure) {
        List<Waiting> stranded;
        synchronized (this) {
            state = state == State.OPENING ? State.IDLE : state;
            stranded = takeWaiting();
        }
        stranded.forEach(user -> user.onFailure(failure));
    }

    private synchronized @Nullable Mailbox mailbox() {
        return mailbox;
    }

    private synchronized List<Waiting> takeWaiting() {
        List<Waiting> taken = waiting;
        waiting = new ArrayList<>();
        return taken;
    }

    /** An attempt under way finds the end and closes what it opened; what is open after that, the connector closes. */
    private void awaitOpener() {
        try {
            boolean unused = opener.awaitTermination(CLOSE_PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private RedisLink connect() {
        return new RedisLink(connector.connect());
    }

    private static CancellationException closed() {
        return new CancellationException("The Redis lock backend is closed");
    }

    private static Thread daemon(Runnable work) {
        Thread thread = new Thread(work, "lock-redis-connect");
        thread.setDaemon(true);
        return thread;
    }

    /** Somebody who needs the link. */
    interface Waiting {

        /** It is open. */
        void onOpen(RedisLink opened);

        /** It could not be opened. */
        void onFailure(Throwable failure);
    }

    private enum State {
        /** Open, or to be opened with the next command. */
        IDLE,
        /** Being opened. */
        OPENING,
        /** For good. */
        CLOSED
    }
}
