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
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.ResolvableType;
import org.springframework.core.type.AnnotationMetadata;
import org.springframework.util.ClassUtils;

/**
 * Health {@code distributedLock} on Spring Boot 3. Its types have other names, and are in another version of the same
 * artifact as those of Boot 4, so the starter cannot be compiled against both. Hence a proxy, which this factory makes
 * and whose calls it answers.
 */
final class OlderLockHealthIndicator implements FactoryBean<Object>, InvocationHandler {

    /** The interface that the proxy implements. */
    static final String INDICATOR = "org.springframework.boot.actuate.health.HealthIndicator";

    /** What the indicator makes. */
    static final String HEALTH = "org.springframework.boot.actuate.health.Health";

    private final Class<?> indicator;
    private final LockAdmin locks;
    private final Map<String, LockAdmin> furtherLocks;

    OlderLockHealthIndicator(
            Class<?> indicator, LockAdmin locks, DistributedLockProperties properties, BeanFactory beans) {
        this.indicator = indicator;
        this.locks = locks;
        this.furtherLocks = FurtherLocks.admins(properties, beans);
    }

    /** Declares the bean under the interface that Boot 3 looks for, which no method of ours can name. */
    static final class Registrar implements ImportBeanDefinitionRegistrar {

        private final ClassLoader loader;

        Registrar(ClassLoader loader) {
            this.loader = loader;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            registry.registerBeanDefinition(
                    LockActuatorAutoConfiguration.HEALTH_BEAN,
                    definition(ClassUtils.resolveClassName(INDICATOR, loader)));
        }
    }

    /** Made by a factory that gets the interface as an argument: a native image could not contain a supplier. */
    static RootBeanDefinition definition(Class<?> indicator) {
        RootBeanDefinition definition = new RootBeanDefinition(OlderLockHealthIndicator.class);
        definition.setAttribute(FactoryBean.OBJECT_TYPE_ATTRIBUTE, indicator);
        definition.setTargetType(ResolvableType.forClassWithGenerics(FactoryBean.class, indicator));
        definition.getConstructorArgumentValues().addIndexedArgumentValue(0, indicator);
        definition.setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR);
        return definition;
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
        LockHealth found = LockHealth.of(locks, furtherLocks);
        Class<?> health = Class.forName(HEALTH, false, indicator.getClassLoader());
        Object builder = health.getMethod("status", String.class).invoke(null, found.status());
        Class<?> type = builder.getClass();
        type.getMethod("withDetails", Map.class).invoke(builder, found.details());
        return type.getMethod("build").invoke(builder);
    }
}
