package io.github.lockstarter.redis;

import io.github.lockstarter.spi.SignalListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;

/**
 * Where this instance hears its signals. Called by the event loop of one connection at a time; its one mutable field
 * goes from false to true with the first subscription and stays there.
 */
final class Mailbox extends RedisPubSubAdapter<String, String> {

    private final String channel;
    private final SignalListener listener;
    private volatile boolean wasOpen;

    Mailbox(String channel, SignalListener listener) {
        this.channel = channel;
        this.listener = listener;
    }

    /** The channel to subscribe to. */
    String channel() {
        return channel;
    }

    @Override
    public void message(String from, String payload) {
        if (from.equals(channel)) {
            signal(payload);
        }
    }

    @Override
    public void subscribed(String to, long count) {
        if (!to.equals(channel)) {
            return;
        }
        boolean restored = wasOpen;
        wasOpen = true;
        if (restored) {
            listener.onMailboxRestored();
        }
    }

    private void signal(String payload) {
        String key;
        try {
            key = KeyEncoding.decode(payload);
        } catch (IllegalArgumentException e) {
            // Not from a lock client. A signal is a hint, so that nothing is lost by ignoring it.
            return;
        }
        listener.onSignal(key);
    }
}
