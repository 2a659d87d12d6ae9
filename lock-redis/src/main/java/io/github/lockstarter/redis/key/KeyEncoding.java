package io.github.lockstarter.redis.key;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Writes a lock's key so that it is a whole hash tag: never empty, without braces, control characters and broken
 * UTF-16. Distinct keys stay distinct; what needs no encoding stays as it is. After a {@code %} come two hex digits (a
 * byte of UTF-8), {@code u} and four hex digits (an unpaired surrogate), {@code -} (the empty key) or {@code #} (a
 * hash); never {@code !} or {@code ~}, which mark other messages of a mailbox.
 */
public final class KeyEncoding {

    /** Longest hash tag in bytes of UTF-8; what is longer is hashed. */
    static final int MAX_BYTES = 256;

    private static final String EMPTY = "%-";
    private static final String HASH_MARK = "%#";
    private static final int MOST_BYTES_PER_CHAR = 3;
    private static final HexFormat HEX = HexFormat.of().withUpperCase();

    private KeyEncoding() {}

    /** The key, reversibly encoded. */
    static String encode(String key) {
        if (key.isEmpty()) {
            return EMPTY;
        }
        for (int i = 0; i < key.length(); i++) {
            char c = key.charAt(i);
            if (isReserved(c) || Character.isSurrogate(c)) {
                return encodeFrom(i, key);
            }
        }
        return key;
    }

    private static String encodeFrom(int start, String key) {
        StringBuilder encoded = new StringBuilder(key.length() + 16).append(key, 0, start);
        int i = start;
        while (i < key.length()) {
            int codePoint = key.codePointAt(i);
            if (Character.getType(codePoint) == Character.SURROGATE) {
                encoded.append("%u").append(HEX.toHexDigits((char) codePoint));
            } else if (isReserved(codePoint)) {
                for (byte b : Character.toString(codePoint).getBytes(StandardCharsets.UTF_8)) {
                    encoded.append('%').append(HEX.toHexDigits(b));
                }
            } else {
                encoded.appendCodePoint(codePoint);
            }
            i += Character.charCount(codePoint);
        }
        return encoded.toString();
    }

    private static boolean isReserved(int codePoint) {
        return codePoint == '{' || codePoint == '}' || codePoint == '%' || Character.isISOControl(codePoint);
    }

    /** The encoded key, or its hash where it is too long. */
    static String shorten(String encoded) {
        if (encoded.length() <= MAX_BYTES / MOST_BYTES_PER_CHAR) {
            return encoded;
        }
        byte[] bytes = encoded.getBytes(StandardCharsets.UTF_8);
        return bytes.length <= MAX_BYTES ? encoded : HASH_MARK + HexFormat.of().formatHex(sha256(bytes));
    }

    /**
     * The key that was encoded.
     *
     * @throws IllegalArgumentException when {@link #encode} cannot have written this
     */
    public static String decode(String encoded) {
        if (encoded.equals(EMPTY)) {
            return "";
        }
        String key = encoded.indexOf('%') < 0 ? encoded : decodeEscapes(encoded);
        if (!encode(key).equals(encoded)) {
            throw new IllegalArgumentException("Not an encoded lock key: '" + encoded + "'");
        }
        return key;
    }

    private static String decodeEscapes(String encoded) {
        StringBuilder key = new StringBuilder(encoded.length());
        int i = 0;
        while (i < encoded.length()) {
            char c = encoded.charAt(i);
            if (c != '%') {
                key.append(c);
                i++;
            } else if (encoded.startsWith("%u", i)) {
                key.append((char) hex(encoded, i + 2, 4));
                i += 6;
            } else {
                int first = hex(encoded, i + 1, 2);
                boolean twoBytes = first >= 0xC0;
                // Two bytes at most: beyond ASCII, only U+0080 to U+009F are control characters.
                key.append((char) (twoBytes ? ((first & 0x1F) << 6) | (hex(encoded, i + 4, 2) & 0x3F) : first));
                i += twoBytes ? 6 : 3;
            }
        }
        return key.toString();
    }

    private static int hex(String encoded, int from, int digits) {
        if (from + digits > encoded.length()) {
            throw new IllegalArgumentException("Not an encoded lock key: '" + encoded + "'");
        }
        return HexFormat.fromHexDigits(encoded, from, from + digits);
    }

    private static byte[] sha256(byte[] bytes) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
