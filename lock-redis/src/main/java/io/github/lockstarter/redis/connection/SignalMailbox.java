package io.github.lockstarter.redis.connection;

import io.github.lockstarter.redis.key.KeyEncoding;
import io.github.lockstarter.spi.SignalListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receives the messages to this instance: the encoded key of a lock that may be free, after {@code %=}, a number and a
 * colon if the free slot is not the first; {@value #WANTED} and the key of a lock that another instance waits for; or
 * {@value #REVOKED} and the key of a lock that an operator took away. A client ignores a message whose mark it does not
 * know. Called by the event loop of one connection at a time; its one mutable field goes from false to true with the
 * first subscription and stays there.
 */
public final class SignalMailbox extends RedisPubSubAdapter<String, String> {

    /**
     * What a message starts with that says "wanted", as {@code acquire.lua} writes it; no encoded key starts like this.
     */
    public static final String WANTED = "%!";

    /** Says which further slot may be free, as {@code signal_next.lua} writes it; no encoded key starts like this. */
    private static final Pattern SLOT = Pattern.compile("%=(\\d{1,4}):(.*)");

    /**
     * What a message starts with that says "taken away", as {@code revoke.lua} writes it, before the fingerprint of the
     * lock token that had it, a colon and the encoded key; no encoded key starts like this.
     */
    public static final String REVOKED = "%~";

    private final String channel;
    private final SignalListener listener;
    private volatile boolean wasOpen;

    /**
     * A mailbox that is not open yet.
     *
     * @param channel the channel to subscribe to
     * @param listener receives the signals
     */
    public SignalMailbox(String channel, SignalListener listener) {
        this.channel = channel;
        this.listener = listener;
    }

    /** The channel to subscribe to. */
    String channel() {
        return channel;
    }

    @Override
    public void message(String from, String payload) {
        Matcher slot = SLOT.matcher(payload);
        if (payload.startsWith(WANTED)) {
            keyOf(payload, WANTED.length()).ifPresent(listener::onWanted);
        } else if (payload.startsWith(REVOKED)) {
            int colon = payload.indexOf(':');
            if (colon > 0) {
                String fingerprint = payload.substring(REVOKED.length(), colon);
                keyOf(payload, colon + 1).ifPresent(key -> listener.onRevoked(key, fingerprint));
            }
        } else if (slot.matches()) {
            keyOf(payload, slot.start(2)).ifPresent(key -> listener.onSignal(key, Integer.parseInt(slot.group(1))));
        } else {
            keyOf(payload, 0).ifPresent(key -> listener.onSignal(key, 0));
        }
    }

    @Override
    public void subscribed(String to, long count) {
        boolean restored = wasOpen;
        wasOpen = true;
        if (restored) {
            listener.onMailboxRestored();
        }
    }

    /** Commands may be sent, and signals arrive. */
    void opened() {
        listener.onMailboxOpened();
    }

    /**
     * Empty if it is not from a lock client. Nothing is lost by ignoring that: what it says shows with the next command
     * too.
     */
    private static Optional<String> keyOf(String payload, int from) {
        try {
            return Optional.of(KeyEncoding.decode(payload.substring(from)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
