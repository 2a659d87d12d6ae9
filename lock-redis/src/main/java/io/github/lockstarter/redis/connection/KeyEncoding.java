package io.github.lockstarter.redis.connection;

import io.github.lockstarter.spi.Digest;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Encodes a lock's key as a complete hash tag: never empty, without braces, control characters or unpaired surrogates.
 * Distinct keys stay distinct; most keys stay unchanged. {@code %} is followed by two hex digits (a character), {@code
 * u} and four hex digits (an unpaired surrogate), {@code -} (the empty key) or {@code #} (a hash); never by {@code !},
 * {@code =} or {@code ~}, which mark other mailbox messages.
 */
public final class KeyEncoding {

    static final int MAX_BYTES = 256;

    private static final String EMPTY = "%-";
    private static final String HASH_MARK = "%#";
    private static final int MOST_BYTES_PER_CHAR = 3;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private static final Pattern RESERVED = Pattern.compile("[{}%\\x00-\\x1F\\x7F-\\x9F\\uD800-\\uDFFF]");

    private static final Pattern ESCAPE = Pattern.compile("%u?((?<=u)[0-9A-F]{4}|[0-9A-F]{2})");

    private KeyEncoding() {}

    public static String encode(String key) {
        return key.isEmpty() ? EMPTY : RESERVED.matcher(key).replaceAll(KeyEncoding::escape);
    }

    private static String escape(MatchResult reserved) {
        char c = reserved.group().charAt(0);
        return Character.isSurrogate(c) ? "%u" + HEX.toHexDigits(c) : '%' + HEX.toHexDigits((byte) c);
    }

    public static String shorten(String encoded) {
        if (encoded.length() <= MAX_BYTES / MOST_BYTES_PER_CHAR) {
            return encoded;
        }
        byte[] bytes = encoded.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_BYTES ? encoded : HASH_MARK + Digest.SHA_256.hex(bytes);
    }

    /**
     * Inverse of {@link #encode}.
     *
     * @throws IllegalArgumentException if {@link #encode} cannot have produced the text
     */
    public static String decode(String encoded) {
        if (encoded.equals(EMPTY)) {
            return "";
        }
        String key = ESCAPE.matcher(encoded).replaceAll(KeyEncoding::character);
        if (!encode(key).equals(encoded)) {
            throw new IllegalArgumentException("Not an encoded lock key: '" + encoded + "'");
        }
        return key;
    }

    private static String character(MatchResult escape) {
        return Matcher.quoteReplacement(Character.toString(HexFormat.fromHexDigits(escape.group(1))));
    }
}
