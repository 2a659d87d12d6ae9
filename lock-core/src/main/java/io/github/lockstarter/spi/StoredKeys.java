package io.github.lockstarter.spi;

import java.nio.ByteBuffer;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * Maps keys to the text that a store keeps. Immutable. A readable key of up to {@value #LONGEST} characters is
 * stored unchanged. Any other is stored as its readable beginning, a percent sign and its SHA-256: without control
 * characters, some of which PostgreSQL refuses, and without a trailing blank, which MySQL ignores. Different keys have
 * different texts, unless SHA-256 collides.
 *
 * <p>The rules are numbers, since {@link Character#getType} depends on the JDK: instances on two JDKs would store a key
 * with a recent character under two texts.
 *
 * <p>Slot 0 of a lock has the text of the key. Slot 3 has the readable beginning, {@code %3%}, and the SHA-256 of the
 * key. No key has the text of a slot: keys of that form are hashed, to a different hash.
 */
public final class StoredKeys {

    /** Width of the column. */
    public static final int LONGEST = 255;

    /** Text of the row that is no lock; readable texts do not start with a percent sign. */
    public static final String FLOOR = "%floor";

    private static final int READABLE_LENGTH = 180;

    /** Control characters, line separators, unpaired surrogates. */
    private static final Pattern UNREADABLE = Pattern.compile("[\\x00-\\x1F\\x7F-\\x9F\\u2028\\u2029\\uD800-\\uDFFF]");

    private static final Pattern HASHED = Pattern.compile("%[0-9a-f]{64}\\z");

    private final String prefix;

    /**
     * Creates a mapping.
     *
     * @param prefix keys' prefix
     */
    public StoredKeys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * {@return the text of a key}
     *
     * @param key key
     */
    public String of(String key) {
        String whole = prefix + key;
        return isStoredAsItIs(whole) ? whole : readable(whole) + '%' + hash(whole);
    }

    /**
     * {@return the texts of several slots, in order}
     *
     * @param key key
     * @param slots slots
     */
    public List<String> of(String key, Slots slots) {
        return IntStream.range(slots.from(), slots.from() + slots.count())
                .mapToObj(slot -> of(key, slot))
                .toList();
    }

    /**
     * {@return the text of a slot}
     *
     * @param key key
     * @param slot index
     */
    public String of(String key, int slot) {
        String whole = prefix + key;
        return slot == 0 ? of(key) : readable(whole) + '%' + slot + '%' + hash(whole);
    }

    private static boolean isStoredAsItIs(String whole) {
        return !whole.isEmpty()
                && whole.length() <= LONGEST
                && whole.charAt(0) != '%'
                && whole.charAt(whole.length() - 1) != ' '
                && !UNREADABLE.matcher(whole).find()
                && !HASHED.matcher(whole).find();
    }

    private static String readable(String whole) {
        String beginning = whole.substring(0, Math.min(whole.length(), READABLE_LENGTH));
        return UNREADABLE.matcher(beginning).replaceAll("?");
    }

    /** Of the UTF-16 units; an encoding would map different unpaired surrogates to one character. */
    private static String hash(String whole) {
        ByteBuffer characters = ByteBuffer.allocate(2 * whole.length());
        characters.asCharBuffer().put(whole);
        return Digest.SHA_256.hex(characters.array());
    }
}
