package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.SignalListener;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * Passes on that the client has a connection again, and the signals of this instance, to the one listener. The
 * client calls on a thread of its own, later than what it has noticed: nothing that a lock depends on is decided here.
 */
final class ConnectionEvents implements ConnectionStateListener {

    private final CuratorFramework client;
    private volatile @Nullable SignalListener listener;

    ConnectionEvents(CuratorFramework client) {
        this.client = client;
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
        boolean again = state == ConnectionState.RECONNECTED;
        if (receiver == null || !(again || state == ConnectionState.CONNECTED)) {
            return;
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
            receiver.onSignal(key, 0);
        }
    }

    void revoked(Hold hold) {
        SignalListener receiver = listener;
        if (receiver != null) {
            receiver.onRevoked(hold.key, hold.token.fingerprint());
        }
    }

    void close() {
        client.getConnectionStateListenable().removeListener(this);
        listener = null;
    }
}
