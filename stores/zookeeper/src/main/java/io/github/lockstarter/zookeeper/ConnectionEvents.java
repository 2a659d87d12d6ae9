package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.util.Optional;
import org.apache.curator.framework.CuratorFramework;
import org.apache.curator.framework.state.ConnectionState;
import org.apache.curator.framework.state.ConnectionStateListener;

/**
 * Passes connections of the client, and signals and revocations of this instance, to the listener. The client reports
 * connections late, so no lock depends on them.
 */
final class ConnectionEvents implements ConnectionStateListener {

    private final CuratorFramework client;
    private volatile Optional<SignalListener> listener = Optional.empty();

    ConnectionEvents(CuratorFramework client) {
        this.client = client;
        client.getConnectionStateListenable().addListener(this);
    }

    void listen(SignalListener receiver) {
        listener = Optional.of(receiver);
        if (client.getZookeeperClient().isConnected()) {
            receiver.onMailboxOpened();
        }
    }

    @Override
    public void stateChanged(CuratorFramework changed, ConnectionState state) {
        if (state == ConnectionState.CONNECTED || state == ConnectionState.RECONNECTED) {
            listener.ifPresent(SignalListener::onMailboxOpened);
        }
        if (state == ConnectionState.RECONNECTED) {
            // A new session waits in no queue; a session that continues has received the events that it missed.
            listener.ifPresent(SignalListener::onMailboxRestored);
        }
    }

    void signal(String key) {
        listener.ifPresent(receiver -> receiver.onSignal(key, 0));
    }

    void revoked(String key, LockToken token) {
        listener.ifPresent(receiver -> receiver.onRevoked(key, token.fingerprint()));
    }

    void close() {
        client.getConnectionStateListenable().removeListener(this);
        listener = Optional.empty();
    }
}
