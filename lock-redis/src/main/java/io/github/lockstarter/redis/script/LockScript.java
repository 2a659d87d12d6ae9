package io.github.lockstarter.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;

/** The scripts that run on the server, one per verb; the head of each file is its contract. */
public enum LockScript {
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
    CONFIRM,
    /** Looks. */
    INSPECT,
    /** Takes away. */
    REVOKE;

    private final String text;
    private final String sha;

    LockScript() {
        this.text = ScriptText.of(name().toLowerCase(Locale.ROOT) + ".lua");
        this.sha = sha1(text.getBytes(StandardCharsets.UTF_8));
    }

    /** The script itself. */
    public String text() {
        return text;
    }

    /** The name by which Redis knows the script once it has run it. */
    public String sha() {
        return sha;
    }

    private static String sha1(byte[] bytes) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-1").digest(bytes));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-1", e);
        }
    }
}
