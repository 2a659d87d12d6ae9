package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.LockToken;
import java.util.Optional;

/**
 * A notification that a lock may be free.
 *
 * @param instance of the token that lost the lock in a revocation, shortened; empty after a release
 * @param fingerprint of that token
 * @param key stored key
 */
record PostgresNotice(String instance, String fingerprint, String key) {

    static PostgresNotice free(String key) {
        return new PostgresNotice("", "", key);
    }

    static PostgresNotice revoked(String key, Optional<String> owner) {
        return owner.map(token ->
                        new PostgresNotice(LockToken.holderOf(token).instance(), LockToken.fingerprintOf(token), key))
                .orElseGet(() -> free(key));
    }

    boolean isRevoked() {
        return !fingerprint.isEmpty();
    }

    String text() {
        return String.join(":", instance, fingerprint, key);
    }

    /** Empty for a notification of another kind. */
    static Optional<PostgresNotice> of(String text) {
        String[] parts = text.split(":", 3);
        return parts.length == 3 ? Optional.of(new PostgresNotice(parts[0], parts[1], parts[2])) : Optional.empty();
    }
}
