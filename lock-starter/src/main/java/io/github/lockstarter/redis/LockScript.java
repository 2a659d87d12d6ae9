package io.github.lockstarter.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts that run on the server, one per verb; the head of each file is its contract. */
enum LockScript {
    /** Grants, or queues. */
    ACQUIRE,
    /** Prolongs the lease. */
    RENEW,
    /** Brings back what was forgotten. */
    RECLAIM,
    /** Frees, and signals. */
    RELEASE,
    /** Leaves the queue. */
    WITHDRAW,
    /** Writes a grant once more. */
    CONFIRM;

    private final String text;
    private final String sha;

    LockScript() {
        byte[] bytes = read(name().toLowerCase(Locale.ROOT) + ".lua");
        this.text = new String(bytes, StandardCharsets.UTF_8);
        this.sha = sha1(bytes);
    }

    /** The script itself. */
    String text() {
        return text;
    }

    /** The name by which Redis knows the script once it has run it. */
    String sha() {
        return sha;
    }

    private static byte[] read(String file) {
        try (InputStream resource = LockScript.class.getResourceAsStream(file)) {
            if (resource == null) {
                throw new IllegalStateException("The lock-starter jar is incomplete: no " + file
                        + " beside its classes. Repackage it with its resources");
            }
            return resource.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException("Could not read " + file + " from the lock-starter jar", e);
        }
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
