package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.autoconfigure.DistributedLockProperties.Backend;
import java.util.EnumSet;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/**
 * The backend of each lock. The key alone decides, so that all requests for a key go to the same backend, whatever
 * their names: a key that is the name of a configured lock, or begins with such a name and a colon, as those of
 * annotations do, is kept where that name is. Of several such names the longest counts.
 *
 * @param usual the backend of all other locks
 * @param byName those of single names
 */
record BackendRoutes(Backend usual, Map<String, Backend> byName) {

    /** Routes of an application; with the backend for tests, there is no other one. */
    static BackendRoutes of(Backend usual, Map<String, Backend> byName) {
        return new BackendRoutes(usual, usual == Backend.LOCAL ? Map.of() : Map.copyOf(byName));
    }

    /** All that are needed. */
    Set<Backend> inUse() {
        Set<Backend> all = EnumSet.of(usual);
        all.addAll(byName.values());
        return all;
    }

    /** The backend that keeps locks with this key. */
    Backend of(String key) {
        if (!byName.isEmpty()) {
            for (int end = key.length(); end > 0; end = key.lastIndexOf(':', end - 1)) {
                Backend named = byName.get(key.substring(0, end));
                if (named != null) {
                    return named;
                }
            }
        }
        return usual;
    }

    /**
     * Checks that the name of a request does not promise another backend than its keys lead to.
     *
     * @throws IllegalArgumentException when it does; the message says what to change
     */
    void check(LockRequest request) {
        Backend promised = byName.get(request.name());
        if (promised == null) {
            return;
        }
        for (String key : request.keys()) {
            if (of(key) != promised) {
                throw new IllegalArgumentException("Lock '" + LockRequest.printable(key) + "' has the name '"
                        + request.name()
                        + "', whose locks distributed-lock.locks." + request.name() + ".backend keeps in "
                        + text(promised) + "; but the key decides, so that all callers agree, and this key is kept in "
                        + text(of(key)) + ". Let the key be '" + request.name() + "' or begin with '" + request.name()
                        + ":', or give the request another name");
            }
        }
    }

    static String text(Backend backend) {
        return backend.name().toLowerCase(Locale.ROOT);
    }
}
