package io.github.lockstarter.observe;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockRequest;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/**
 * Puts key, name and fencing token of the innermost locked body into the context of the log, so that each line that is
 * written under the lock has them.
 */
public final class LockMdc implements LockDecorator {

    /** Name of the key's entry. */
    public static final String KEY = "lock.key";

    /** Name of the entry of the logical name. */
    public static final String NAME = "lock.name";

    /** Name of the entry of the fencing token; of several keys, {@code key=token} of each. */
    public static final String FENCING_TOKEN = "lock.fencingToken";

    /** Adds nothing yet. */
    public LockMdc() {}

    @Override
    public Scope enter(LockRequest request, LockHandle handle) {
        Scope key = put(KEY, LockRequest.printable(handle.key()));
        Scope name = put(NAME, request.name());
        Scope token = put(FENCING_TOKEN, fencingToken(handle));
        return () -> {
            token.close();
            name.close();
            key.close();
        };
    }

    private static String fencingToken(LockHandle handle) {
        if (handle.keys().size() == 1) {
            return Long.toString(handle.fencingToken());
        }
        return handle.keys().stream()
                .map(key -> Map.entry(key, handle.fencingToken(key)))
                .map(Map.Entry::toString)
                .collect(Collectors.joining(", "));
    }

    private static Scope put(String entry, String value) {
        @Nullable String before = MDC.get(entry);
        MDC.put(entry, value);
        return () -> {
            if (before == null) {
                MDC.remove(entry);
            } else {
                MDC.put(entry, before);
            }
        };
    }
}
