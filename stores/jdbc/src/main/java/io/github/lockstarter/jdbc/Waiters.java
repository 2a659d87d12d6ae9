package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.AcquireCommand;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.SignalListener;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * For which keys this instance waits, and who is told of a notification. Thread-safe: {@code waiting} has the keys with
 * a wait under way, {@code hashed} those keys that cannot be read from their stored form.
 */
final class Waiters {

    /** A notification about a forgotten key is missed, which the next look or renewal makes up for. */
    private static final int MOST_HASHED = 10_000;

    private record Mailbox(String instance, SignalListener listener) {}

    private final ConcurrentMap<String, String> waiting = new ConcurrentHashMap<>();
    private final ConcurrentMap<String, String> hashed = new ConcurrentHashMap<>();
    private volatile Mailbox mailbox = new Mailbox("", SilentListener.INSTANCE);
    private final String prefix;

    Waiters(String prefix) {
        this.prefix = prefix;
    }

    void listen(String instanceId, SignalListener listener) {
        mailbox = new Mailbox(LockToken.shortened(instanceId), listener);
    }

    SignalListener listener() {
        return mailbox.listener();
    }

    /** An attempt begins; a notification may come before its answer. */
    void begin(String stored, AcquireCommand command) {
        if (command.waiting().isPresent()) {
            waiting.put(stored, command.key());
        }
        if (!stored.equals(prefix + command.key())) {
            if (hashed.size() >= MOST_HASHED) {
                hashed.clear();
            }
            hashed.put(stored, command.key());
        }
    }

    /** The wait is over. */
    void end(String stored) {
        waiting.remove(stored);
    }

    /** The lock is given up. */
    void forget(String stored) {
        hashed.remove(stored);
    }

    void receive(PostgresNotice notice) {
        Mailbox present = mailbox;
        String waited = waiting.get(notice.key());
        if (waited != null) {
            present.listener().onSignal(waited);
        }
        notice.revoked()
                .filter(revoked -> revoked.instance().equals(present.instance()))
                .ifPresent(revoked -> {
                    String known = hashed.get(notice.key());
                    String key = known == null ? readable(notice.key()) : known;
                    present.listener().onRevoked(key, revoked.fingerprint());
                });
    }

    private String readable(String stored) {
        return stored.startsWith(prefix) ? stored.substring(prefix.length()) : stored;
    }

    /** Of a backend that nobody listens to. */
    private enum SilentListener implements SignalListener {
        INSTANCE;

        @Override
        public void onSignal(String key) {}

        @Override
        public void onWanted(String key) {}

        @Override
        public void onRevoked(String key, String fingerprint) {}

        @Override
        public void onMailboxRestored() {}
    }
}
