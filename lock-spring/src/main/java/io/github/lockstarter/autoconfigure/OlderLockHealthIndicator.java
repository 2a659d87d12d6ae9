package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.actuate.LockHealth;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;
import org.springframework.beans.factory.FactoryBean;
import org.springframework.util.ClassUtils;

/**
 * Health {@code distributedLock} on Boot 3, by a proxy: the starter cannot compile against the types of both Boot 3 and
 * 4.
 */
final class OlderLockHealthIndicator implements FactoryBean<Object>, InvocationHandler {

    static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";

    static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    private final Class<?> indicator =
            ClassUtils.resolveClassName(INDICATOR, getClass().getClassLoader());
    private final BeanFactory beans;

    /** Locks are found on each call: Spring creates the factory early to get its type. */
    OlderLockHealthIndicator(BeanFactory beans) {
        this.beans = beans;
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
        LockHealth found = LockHealth.of(
                beans.getBean(LockAdmin.class),
                FurtherLocks.admins(beans.getBean(DistributedLockProperties.class), beans));
        Class<?> health = Class.forName(HEALTH, false, indicator.getClassLoader());
        Object builder = health.getMethod("status", String.class).invoke(null, found.status());
        Class<?> type = builder.getClass();
        type.getMethod("withDetails", Map.class).invoke(builder, found.details());
        return type.getMethod("build").invoke(builder);
    }
}
