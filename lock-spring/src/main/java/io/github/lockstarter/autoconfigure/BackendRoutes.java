package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The backend of each key. Only the key is compared with the names, never the name of the request, so
 * that all requests for a key go to the same backend: a key that is the name of a configured lock, or begins with such
 * a name and a colon, as those of annotations do, is kept where that name is. Of several such names the longest counts.
 *
 * @param defaultBackend the backend of all other locks
 * @param byName those of single names
 */
record BackendRoutes(String defaultBackend, Map<String, String> byName) {

    /** Routes of an application; with the backend for tests, there is no other one. */
    static BackendRoutes of(String defaultBackend, Map<String, String> byName) {
        return new BackendRoutes(
                defaultBackend, defaultBackend.equals(LockBackendOption.LOCAL) ? Map.of() : Map.copyOf(byName));
    }

    /** The name of a backend in any spelling, such as {@code REDIS} or with a blank; empty if none is given. */
    static Optional<String> nameOf(@Nullable String configured) {
        return Optional.ofNullable(configured)
                .map(text -> text.replaceAll("[^\\p{L}\\p{N}]", "").toLowerCase(Locale.ROOT))
                .filter(name -> !name.isEmpty());
    }

    /** All that are needed, in the order of their names. */
    Set<String> inUse() {
        Set<String> all = new TreeSet<>(byName.values());
        all.add(defaultBackend);
        return all;
    }

    /** The backend that keeps locks with this key. */
    String of(String key) {
        if (!byName.isEmpty()) {
            for (int end = key.length(); end > 0; end = key.lastIndexOf(':', end - 1)) {
                String named = byName.get(key.substring(0, end));
                if (named != null) {
                    return named;
                }
            }
        }
        return defaultBackend;
    }

    /**
     * Checks that the name of a request does not promise another backend than its keys lead to.
     *
     * @throws IllegalArgumentException when it does; the message says what to change
     */
    void check(LockRequest request) {
        String promised = byName.get(request.name());
        if (promised == null) {
            return;
        }
        for (String key : request.keys()) {
            if (!of(key).equals(promised)) {
                throw new IllegalArgumentException("Lock '" + LockRequest.printable(key) + "' has the name '"
                        + request.name()
                        + "', whose locks distributed-lock.locks." + request.name() + ".backend keeps in "
                        + promised + "; but the key decides, so that all callers agree, and this key is kept in "
                        + of(key) + ". Let the key be '" + request.name() + "' or begin with '" + request.name()
                        + ":', or give the request another name");
            }
        }
    }
}
