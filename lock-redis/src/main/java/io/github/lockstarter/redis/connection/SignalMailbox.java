package io.github.lockstarter.redis.connection;

import io.github.lockstarter.spi.SignalListener;
import io.lettuce.core.pubsub.RedisPubSubAdapter;
import java.util.Optional;
import java.util.function.BooleanSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Receives the messages to this instance: the encoded key of a lock that may be free, for another than the first slot
 * after {@code %=}, its number and a colon; {@value #WANTED} and the key of a lock that another instance waits for;
 * {@value #REVOKED}, the fingerprint of the revoked lock token, a colon and the key; {@value #PROOF}, which the
 * instance sends to itself. Others are ignored.
 * <p>Called on the event loops of its connection and, for a moment, of the one that replaces it.
 */
public final class SignalMailbox extends RedisPubSubAdapter<String, String> {

    /** No encoded key starts with this or another prefix. */
    public static final String WANTED = "%!";

    private static final Pattern SLOT = Pattern.compile("%=(\\d{1,4}):(.*)", Pattern.DOTALL);

    public static final String REVOKED = "%~";

    public static final String PROOF = "%.";

    private final String channel;
    private final SignalListener listener;
    private final BooleanSupplier counted;
    private final Runnable onPulse;
    private volatile boolean wasOpen;
    private volatile boolean proven;

    /**
     * @param counted whether the server of a lock counts this mailbox, wherever it subscribes; false on shards
     * @param onPulse runs on the event loop with each pulse of the subscription; returns at once
     */
    public SignalMailbox(String channel, SignalListener listener, BooleanSupplier counted, Runnable onPulse) {
        this.channel = channel;
        this.listener = listener;
        this.counted = counted;
        this.onPulse = onPulse;
    }

    void onPulse() {
        onPulse.run();
    }

    /** Whether {@link #PROOF} has arrived since the last call. */
    boolean takeProof() {
        boolean taken = proven;
        proven = false;
        return taken;
    }

    boolean isCounted() {
        return counted.getAsBoolean();
    }

    String channel() {
        return channel;
    }

    boolean hasListenerOf(SignalMailbox other) {
        return listener.equals(other.listener);
    }

    @Override
    public void message(String from, String payload) {
        Matcher slot = SLOT.matcher(payload);
        if (payload.equals(PROOF)) {
            proven = true;
        } else if (payload.startsWith(WANTED)) {
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

    void opened() {
        listener.onMailboxOpened();
    }

    /** Empty if the message is not from a lock client. Ignoring messages is safe: the next command shows the same. */
    private static Optional<String> keyOf(String payload, int from) {
        try {
            return Optional.of(KeyEncoding.decode(payload.substring(from)));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
