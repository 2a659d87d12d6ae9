package io.github.lockstarter.autoconfigure;

import java.util.Optional;
import java.util.function.Predicate;

/**
 * The logical name in a key: a key that is a name, or begins with it and a colon, as the keys of annotations do,
 * belongs to that name; of several such names, to the longest.
 */
final class LockNames {

    private LockNames() {}

    /**
     * The name to which a key belongs.
     *
     * @param isName whether there is such a name
     * @return the name; empty if there is none for this key
     */
    static Optional<String> in(String key, Predicate<String> isName) {
        for (int end = key.length(); end > 0; end = key.lastIndexOf(':', end - 1)) {
            String name = key.substring(0, end);
            if (isName.test(name)) {
                return Optional.of(name);
            }
        }
        return Optional.empty();
    }
}
