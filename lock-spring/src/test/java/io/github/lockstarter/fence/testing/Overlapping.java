package io.github.lockstarter.fence.testing;

import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;

/**
 * A lock that keeps nobody out: its holders have growing fencing tokens and overlap, as after leases that ended too
 * early. All that a fence may ask of a handle is its keys and tokens.
 */
public final class Overlapping {

    private Overlapping() {}

    /** Runs a body as the holder of keys with a fencing token. */
    public static <T> T hold(long fencingToken, Supplier<T> body, String... keys) {
        LockHandle handle = (LockHandle) Proxy.newProxyInstance(
                LockHandle.class.getClassLoader(),
                new Class<?>[] {LockHandle.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "keys" -> List.of(keys);
                    case "fencingToken" -> fencingToken;
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
        return LockContext.NONE.with(handle).call(body::get);
    }
}
