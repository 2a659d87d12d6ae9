package io.github.lockstarter.redis;

import io.github.lockstarter.spi.Digest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The server-side scripts, one per verb and others for permits and readers; the header of each file is its contract. A
 * line {@code -- include name.lua} is replaced by that file, indented as the line.
 */
public enum LockScript {
    /** Attempts for locks. */
    ACQUIRE,

    /** An attempt for one of several permits. */
    ACQUIRE_PERMIT,

    /** An attempt to read, or to write while there are readers. */
    ACQUIRE_READ,

    /** Renewals. */
    RENEW,

    /** Releases, withdrawals and revocations. */
    RELEASE,

    /** The release of a reader. */
    RELEASE_READ,

    /** A sign of life. */
    BEAT,

    /** Rewrites the trace of a takeover, which replicas acknowledge. */
    ACKNOWLEDGE,

    /** What a lock holds. */
    INSPECT;

    private final String text;
    private final String sha;

    LockScript() {
        this.text = ScriptText.of(name().toLowerCase(Locale.ROOT) + ".lua");
        this.sha = Digest.SHA_1.hex(text.getBytes(StandardCharsets.UTF_8));
    }

    /** {@return the source, with what it includes} */
    public String text() {
        return text;
    }

    /** {@return the digest by which a server knows it} */
    public String sha() {
        return sha;
    }

    /** A separate class because enum constants are created before static fields of the enum. */
    private static final class ScriptText {

        private static final Pattern INCLUDE = Pattern.compile("(?m)^( *)-- include (\\w+\\.lua)\\b.*\\R");
        private static final Pattern LINE_WITH_TEXT = Pattern.compile("(?m)^(?=.)");

        static String of(String file) {
            return INCLUDE.matcher(read(file)).replaceAll(ScriptText::included);
        }

        private static String included(MatchResult include) {
            String indented = LINE_WITH_TEXT.matcher(of(include.group(2))).replaceAll(include.group(1));
            return Matcher.quoteReplacement(indented);
        }

        private static String read(String file) {
            try (InputStream resource = LockScript.class.getResourceAsStream("script/" + file)) {
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
