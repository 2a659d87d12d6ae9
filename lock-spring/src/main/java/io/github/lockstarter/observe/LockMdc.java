package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockedAction;
import java.util.HashMap;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts key, name and fencing token of the innermost locked body into the MDC. The names differ from the key-value pairs
 * of the lock client's own lines, because structured logging rejects duplicates.
 */
public final class LockMdc implements LockDecorator {

    /** The lock's key. */
    public static final String KEY = "lock.held.key";

    /** The lock's name. */
    public static final String NAME = "lock.held.name";

    /** The fencing token; {@code key=token} for each of several keys. */
    public static final String FENCING_TOKEN = "lock.held.fencingToken";

    /** Creates the decorator. */
    public LockMdc() {}

    @Override
    public <T extends @Nullable Object, X extends Throwable> T run(
            LockRequest request, LockHandle handle, LockedAction<T, X> body) throws X {
        Map<String, @Nullable String> entries = new HashMap<>();
        entries.put(KEY, LockRequest.printable(handle.key()));
        entries.put(NAME, request.name());
        entries.put(FENCING_TOKEN, fencingToken(handle));
        exchange(entries);
        try {
            return body.run();
        } finally {
            exchange(entries);
        }
    }

    private static String fencingToken(LockHandle handle) {
        if (handle.keys().size() == 1) {
            return Long.toString(handle.fencingToken());
        }
        return handle.keys().stream()
                .map(key -> LockRequest.printable(key) + '=' + handle.fencingToken(key))
                .collect(Collectors.joining(", "));
    }

    private static void exchange(Map<String, @Nullable String> entries) {
        entries.replaceAll((entry, value) -> {
            @Nullable String before = MDC.get(entry);
            if (value == null) {
                MDC.remove(entry);
            } else {
                MDC.put(entry, value);
            }
            return before;
        });
    }
}
