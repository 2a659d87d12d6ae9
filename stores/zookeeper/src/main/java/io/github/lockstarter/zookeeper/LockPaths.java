package io.github.lockstarter.zookeeper;

import io.github.lockstarter.spi.StoredKeys;
import java.util.HexFormat;

/**
 * Path of a lock's queue: {@code <root>/<key>}. Each UTF-16 unit of the key except ASCII letters, digits, hyphens and
 * underscores becomes {@code %} and four hexadecimal digits, so different keys have different names. A name of more
 * than {@value #LONGEST} characters is cut, and ends with a tilde and the SHA-256 of the key.
 *
 * @param root parent of all queues
 * @param prefix common start of all keys
 */
record LockPaths(String root, String prefix) {

    static final int LONGEST = 200;

    private static final int READABLE = 120;

    String directory(String key) {
        String whole = prefix + key;
        String name = encoded(whole);
        return root
                + '/'
                + (name.length() <= LONGEST ? name : name.substring(0, READABLE) + '~' + StoredKeys.hash(whole));
    }

    private static String encoded(String key) {
        StringBuilder name = new StringBuilder(key.length() + 16);
        for (int i = 0; i < key.length() && name.length() <= LONGEST; i++) {
            char each = key.charAt(i);
            if (isPlain(each)) {
                name.append(each);
            } else {
                name.append('%').append(HexFormat.of().toHexDigits((short) each));
            }
        }
        return name.isEmpty() ? "%" : name.toString();
    }

    private static boolean isPlain(char each) {
        return (each >= 'a' && each <= 'z')
                || (each >= 'A' && each <= 'Z')
                || (each >= '0' && each <= '9')
                || each == '-'
                || each == '_';
    }
}
