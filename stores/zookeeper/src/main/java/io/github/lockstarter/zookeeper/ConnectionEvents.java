package io.github.lockstarter.zookeeper;

import io.github.lockstarter.StoreEvent;
import io.github.lockstarter.spi.SignalListener;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * Passes on what the client notices of its connection, and the signals of this instance, to the one listener. The
 * client calls on a thread of its own, later than what it has noticed: nothing that a lock depends on is decided here.
 */
final class ConnectionEvents implements ConnectionStateListener {

    private static final long CONNECTED = 0;

    private final CuratorFramework client;
    private final String store;
    private final AtomicLong brokenSince = new AtomicLong(CONNECTED);
    private volatile @Nullable SignalListener listener;

    ConnectionEvents(CuratorFramework client, String store) {
        this.client = client;
        this.store = store;
    }

    void listen(SignalListener receiver) {
        listener = receiver;
        client.getConnectionStateListenable().addListener(this);
        if (client.getZookeeperClient().isConnected()) {
            receiver.onMailboxOpened();
        }
    }

    @Override
    public void stateChanged(CuratorFramework changed, ConnectionState state) {
        SignalListener receiver = listener;
        if (receiver == null) {
            return;
        }
        switch (state) {
            case CONNECTED, RECONNECTED -> connected(receiver, state == ConnectionState.RECONNECTED);
            case SUSPENDED, LOST -> {
                long now = Math.max(1, System.nanoTime());
                if (brokenSince.compareAndSet(CONNECTED, now)) {
                    receiver.onStoreEvent(new StoreEvent.Unreachable(
                            store, StoreEvent.Scope.ALL, "the connection to ZooKeeper is broken"));
                }
            }
            case READ_ONLY -> {}
        }
    }

    private void connected(SignalListener receiver, boolean again) {
        long since = brokenSince.getAndSet(CONNECTED);
        if (since != CONNECTED) {
            Duration lasted = Duration.ofNanos(System.nanoTime() - since);
            receiver.onStoreEvent(new StoreEvent.Reachable(store, StoreEvent.Scope.ALL, lasted));
        }
        receiver.onMailboxOpened();
        if (again) {
            // A new session has no place in any line; one that goes on has been told of what it missed.
            receiver.onMailboxRestored();
        }
    }

    void signal(String key) {
        SignalListener receiver = listener;
        if (receiver != null) {
            receiver.onSignal(key);
        }
    }

    void revoked(Hold hold) {
        SignalListener receiver = listener;
        if (receiver != null) {
            receiver.onRevoked(hold.id.key(), hold.id.token().fingerprint());
        }
    }

    void close() {
        client.getConnectionStateListenable().removeListener(this);
        listener = null;
    }
}
