package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Health {@code distributedLock} on Spring Boot 3. Its types have other names, and are in another version of the same
 * artifact as those of Boot 4, so the starter cannot be compiled against both. Hence a proxy.
 */
public final class OlderLockHealthIndicator implements InvocationHandler {

    /** The interface that the proxy implements. */
    public static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";

    /** What the indicator makes. */
    public static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    private final LockAdmin locks;
    private final Map<String, LockAdmin> furtherLocks;
    private final Class<?> health;

    private OlderLockHealthIndicator(LockAdmin locks, Map<String, LockAdmin> furtherLocks, Class<?> health) {
        this.furtherLocks = Map.copyOf(furtherLocks);
        this.locks = Objects.requireNonNull(locks, "locks");
        this.health = health;
    }

    /**
     * Creates the indicator.
     *
     * @param locks whose store to ask
     * @param furtherLocks whose stores to ask, too, by the names of their {@code LockOperations} beans
     * @param indicator the interface {@value #INDICATOR}
     * @return an instance of it
     * @throws ClassNotFoundException when its package has no {@code Health}
     */
    public static Object of(LockAdmin locks, Map<String, LockAdmin> furtherLocks, Class<?> indicator)
            throws ClassNotFoundException {
        ClassLoader loader = indicator.getClassLoader();
        InvocationHandler handler =
                new OlderLockHealthIndicator(locks, furtherLocks, Class.forName(HEALTH, false, loader));
        return Proxy.newProxyInstance(loader, new Class<?>[] {indicator}, handler);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] arguments) throws Throwable {
        if (method.isDefault()) { // getHealth(includeDetails)
            return InvocationHandler.invokeDefault(proxy, method, arguments);
        }
        return switch (method.getName()) {
            case "health" -> health();
            case "equals" -> arguments != null && proxy == arguments[0];
            case "hashCode" -> System.identityHashCode(proxy);
            default -> "OlderLockHealthIndicator";
        };
    }

    private Object health() throws ReflectiveOperationException {
        LockHealth found = LockHealth.of(locks, furtherLocks);
        Object builder = health.getMethod("status", String.class).invoke(null, found.status());
        Class<?> type = builder.getClass();
        type.getMethod("withDetails", Map.class).invoke(builder, found.details());
        return type.getMethod("build").invoke(builder);
    }
}
