package io.github.lockstarter.spi;

import java.nio.ByteBuffer;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * The text under which a database stores a key. One of up to {@value #LONGEST} readable characters is stored as it is.
 * Any other one, such as a longer one, is stored as its readable beginning, a percent sign, and its SHA-256: no control
 * characters, which PostgreSQL refuses in part, and no blank at the end, which MySQL ignores. Different keys have
 * different texts, unless SHA-256 collides.
 *
 * <p>The first slot of a lock has the text of the key. Slot 3 is stored as the readable beginning of the key, {@code
 * %3%}, and the SHA-256 of the key. A key that looks like that is not stored as it is, and its own hash is another one,
 * so no key has the text of a slot. Immutable.
 */
public final class StoredKeys {

    /** Width of the column that holds it. */
    public static final int LONGEST = 255;

    /** The key of the row that is no lock; no key is stored so, since a percent sign begins no readable key. */
    public static final String FLOOR = "%floor";

    private static final int READABLE_LENGTH = 180;
    private static final Pattern HASHED = Pattern.compile(".*%[0-9a-f]{64}");

    private final String prefix;

    /**
     * Texts that begin alike.
     *
     * @param prefix the beginning
     */
    public StoredKeys(String prefix) {
        this.prefix = prefix;
    }

    /**
     * The text of a key.
     *
     * @param key the key
     * @return up to {@value #LONGEST} characters
     */
    public String of(String key) {
        String whole = prefix + key;
        return isStoredAsItIs(whole) ? whole : readable(whole) + '%' + hash(whole);
    }

    /**
     * The texts of slots of a key.
     *
     * @param key the key
     * @param slots which ones
     * @return a text of up to {@value #LONGEST} characters for each, in their order
     */
    public List<String> of(String key, Slots slots) {
        return IntStream.range(slots.from(), slots.from() + slots.count())
                .mapToObj(slot -> of(key, slot))
                .toList();
    }

    /**
     * The text of a slot of a key.
     *
     * @param key the key
     * @param slot its number
     * @return up to {@value #LONGEST} characters
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
                && whole.codePoints().allMatch(StoredKeys::isReadable)
                && !HASHED.matcher(whole).matches();
    }

    private static String readable(String whole) {
        StringBuilder text = new StringBuilder();
        whole.codePoints()
                .limit(READABLE_LENGTH)
                .map(each -> isReadable(each) ? each : '?')
                .takeWhile(each -> text.length() < READABLE_LENGTH)
                .forEach(text::appendCodePoint);
        return text.toString();
    }

    private static boolean isReadable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.SURROGATE,
                    Character.PRIVATE_USE,
                    Character.UNASSIGNED,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR -> false;
            default -> true;
        };
    }

    /** Of the characters, not of an encoding in which some of them become question marks. */
    private static String hash(String whole) {
        ByteBuffer characters = ByteBuffer.allocate(2 * whole.length());
        characters.asCharBuffer().put(whole);
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(characters.array()));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java platform has SHA-256", e);
        }
    }
}
