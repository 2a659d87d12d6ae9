package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.LockToken;
import java.util.Optional;

/**
 * What a notification says: a lock may be free, and perhaps which token an operator took it from.
 *
 * @param key the key as it is stored
 * @param revoked the instance and the fingerprint of the token that lost the lock; empty after a release
 */
record PostgresNotice(String key, Optional<Revoked> revoked) {

    private static final char FREE = 'f';
    private static final char REVOKED = 'r';

    /** The instance, shortened, and the fingerprint of a token that was taken its lock. */
    record Revoked(String instance, String fingerprint) {}

    static PostgresNotice free(String key) {
        return new PostgresNotice(key, Optional.empty());
    }

    /** By an operator, from the owner if there is one. */
    static PostgresNotice revoked(String key, Optional<String> owner) {
        return new PostgresNotice(key, owner.map(token -> {
            int end = token.indexOf(':');
            String instance = LockToken.shortened(end < 0 ? token : token.substring(0, end));
            return new Revoked(instance, LockToken.fingerprintOf(token));
        }));
    }

    /** What {@link #of} reads. */
    String text() {
        return revoked.map(lost -> REVOKED + ":" + lost.instance() + ":" + lost.fingerprint() + ":" + key)
                .orElseGet(() -> FREE + ":" + key);
    }

    /** Reads a notification; empty if it is of another kind. */
    static Optional<PostgresNotice> of(String text) {
        if (text.startsWith(FREE + ":")) {
            return Optional.of(new PostgresNotice(text.substring(2), Optional.empty()));
        }
        String[] parts = text.split(":", 4);
        return parts.length == 4 && parts[0].equals(String.valueOf(REVOKED))
                ? Optional.of(new PostgresNotice(parts[3], Optional.of(new Revoked(parts[1], parts[2]))))
                : Optional.empty();
    }
}
