package io.github.lockstarter.fence.testing;

import io.github.lockstarter.HoldState;
import io.github.lockstarter.LockContext;
import io.github.lockstarter.LockHandle;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.function.Supplier;

/**
 * A lock that does not exclude other holders: they have growing fencing tokens and overlap, as after leases that ended
 * too early. A fence may only read keys, tokens, slot and state of a handle.
 */
public final class Overlapping {

    private Overlapping() {}

    /** Runs a body as the holder of keys with a fencing token. */
    public static <T> T hold(long fencingToken, Supplier<T> body, String... keys) {
        return LockContext.current().with(handle(fencingToken, keys)).call(body::get);
    }

    /** Runs a body as the holder of one of a key's permits. */
    public static <T> T holdSlot(int slot, long fencingToken, Supplier<T> body, String key) {
        return LockContext.current().with(handle(slot, fencingToken, key)).call(body::get);
    }

    /** The handle of such a holder. */
    public static LockHandle handle(long fencingToken, String... keys) {
        return handle(0, fencingToken, keys);
    }

    private static LockHandle handle(int slot, long fencingToken, String... keys) {
        return (LockHandle) Proxy.newProxyInstance(
                LockHandle.class.getClassLoader(),
                new Class<?>[] {LockHandle.class},
                (proxy, method, arguments) -> switch (method.getName()) {
                    case "keys" -> List.of(keys);
                    case "fencingToken" -> fencingToken;
                    case "slot" -> slot;
                    case "state" -> HoldState.HELD;
                    case "equals" -> proxy == arguments[0];
                    case "hashCode" -> System.identityHashCode(proxy);
                    default -> throw new UnsupportedOperationException(method.getName());
                });
    }
}
