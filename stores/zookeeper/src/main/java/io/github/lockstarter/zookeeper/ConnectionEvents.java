package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;
import org.jspecify.annotations.Nullable;

/**
 * Passes connections of the client, and signals and revocations of this instance, to the listener. The client reports
 * connections late, so no lock depends on them.
 */
final class ConnectionEvents implements ConnectionStateListener {

    private final CuratorFramework client;
    private volatile @Nullable SignalListener listener;

    ConnectionEvents(CuratorFramework client) {
        this.client = client;
        client.getConnectionStateListenable().addListener(this);
    }

    void listen(SignalListener receiver) {
        listener = receiver;
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
            // A new session waits in no queue; a session that continues has received the events that it missed.
            receiver.onMailboxRestored();
        }
    }

    void signal(String key) {
        SignalListener receiver = listener;
        if (receiver != null) {
            receiver.onSignal(key, 0);
        }
    }

    void revoked(String key, LockToken token) {
        SignalListener receiver = listener;
        if (receiver != null) {
            receiver.onRevoked(key, token.fingerprint());
        }
    }

    void close() {
        client.getConnectionStateListenable().removeListener(this);
        listener = null;
    }
}
