package io.github.lockstarter.actuate;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.aot.hint.MemberCategory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.RuntimeHintsRegistrar;
import org.springframework.aot.hint.TypeReference;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.util.ClassUtils;

/**
 * Health {@code distributedLock} on Boot 3, by a proxy: the starter cannot compile against the types of both Boot 3 and
 * 4.
 */
final class OlderLockHealthIndicator implements FactoryBean<Object>, InvocationHandler {

    static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";

    private static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    private final Class<?> indicator =
            ClassUtils.resolveClassName(INDICATOR, getClass().getClassLoader());
    private final Supplier<LockHealth> current;

    /** @param current called for each answer: Spring creates the factory early to get its type */
    OlderLockHealthIndicator(Supplier<LockHealth> current) {
        this.current = current;
    }

    @Override
    public Object getObject() {
        return Proxy.newProxyInstance(indicator.getClassLoader(), new Class<?>[] {indicator}, this);
    }

    @Override
    public Class<?> getObjectType() {
        return indicator;
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
        LockHealth found = current.get();
        Class<?> health = Class.forName(HEALTH, false, indicator.getClassLoader());
        Object builder = health.getMethod("status", String.class).invoke(null, found.status());
        Class<?> type = builder.getClass();
        type.getMethod("withDetails", Map.class).invoke(builder, found.details());
        return type.getMethod("build").invoke(builder);
    }

    static final class Hints implements RuntimeHintsRegistrar {

        @Override
        public void registerHints(RuntimeHints hints, @Nullable ClassLoader loader) {
            hints.proxies().registerJdkProxy(TypeReference.of(INDICATOR));
            for (String type : List.of(HEALTH, HEALTH + "$Builder")) {
                hints.reflection().registerType(TypeReference.of(type), MemberCategory.INVOKE_PUBLIC_METHODS);
            }
        }
    }
}
