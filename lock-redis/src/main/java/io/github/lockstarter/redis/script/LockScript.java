package io.github.lockstarter.redis.script;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The scripts that run on the server, one per verb; the head of each file is its contract. What scripts have in common
 * is a file of its own: the line {@code -- include name.lua} stands for that file, indented as the line is.
 */
public enum LockScript {
    /** Grants locks, or queues the instance. */
    ACQUIRE,
    /** Extends leases, and restores a lock that the server lost. */
    RENEW,
    /** Frees locks, and signals the next instances; or leaves the queue. */
    RELEASE,
    /** Says that an instance is alive, and looks at the owners of locks. */
    BEAT,
    /** Writes the trace of a take-over once more. */
    ACKNOWLEDGE,
    /** Reads the lock. */
    INSPECT,
    /** Frees the lock of another owner. */
    REVOKE;

    private final String text;
    private final String sha;

    LockScript() {
        this.text = Text.of(name().toLowerCase(Locale.ROOT) + ".lua");
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

    /** Reads the files; a class of its own, since the constants are made before the static fields of the enum. */
    private static final class Text {

        private static final Pattern INCLUDE = Pattern.compile("(?m)^( *)-- include (\\w+\\.lua)\\b.*\\R");
        private static final Pattern LINE_WITH_TEXT = Pattern.compile("(?m)^(?=.)");

        static String of(String file) {
            return INCLUDE.matcher(read(file)).replaceAll(Text::included);
        }

        private static String included(MatchResult include) {
            String indented = LINE_WITH_TEXT.matcher(of(include.group(2))).replaceAll(include.group(1));
            return Matcher.quoteReplacement(indented);
        }

        private static String read(String file) {
            try (InputStream resource = LockScript.class.getResourceAsStream(file)) {
                if (resource == null) {
                    throw new IllegalStateException("The lock-redis jar is incomplete: no " + file
                            + " beside its classes. Repackage it with its resources");
                }
                return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
            } catch (IOException e) {
                throw new UncheckedIOException("Could not read " + file + " from the lock-redis jar", e);
            }
        }
    }
}
