package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The backend of each key: that of the {@linkplain LockNames name in the key}, never of the name of the request, so
 * that all requests for a key go to the same backend.
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
        return byName.isEmpty()
                ? defaultBackend
                : LockNames.in(key, byName::containsKey).map(byName::get).orElse(defaultBackend);
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
