package io.github.lockstarter.jdbc;

import io.github.lockstarter.spi.LockToken;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
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

    static String free(String key) {
        return FREE + ":" + key;
    }

    static String revoked(String key, String owner) {
        int end = owner.indexOf(':');
        String instance = LockToken.shortened(end < 0 ? owner : owner.substring(0, end));
        return REVOKED + ":" + instance + ":" + fingerprint(owner) + ":" + key;
    }

    /** As {@link LockToken#fingerprint}. */
    private static String fingerprint(String owner) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-1").digest(owner.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
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
