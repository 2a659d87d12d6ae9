package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.spi.LockBackend;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Condition;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Where the locks of an application are kept, before the properties are bound. A value that cannot be read counts as
 * the default: then the properties are bound, and explain what is wrong.
 */
final class LockConditions {

    private LockConditions() {}

    private static <T> T value(ConditionContext context, String name, Class<T> type, T absent) {
        try {
            return Binder.get(context.getEnvironment())
                    .bind(DistributedLockProperties.PREFIX + '.' + name, type)
                    .orElse(absent);
        } catch (BindException e) {
            return absent;
        }
    }

    /** The routes, before the properties are bound. */
    static BackendRoutes routes(ConditionContext context) {
        Map<String, String> byName = new HashMap<>();
        choices(context).forEach((name, choice) -> {
            BackendRoutes.nameOf(choice.backend)
                    .filter(backend -> !backend.equals(LockBackendOption.LOCAL)) // refused by the properties
                    .ifPresent(backend -> byName.put(name, backend));
        });
        return BackendRoutes.of(
                BackendRoutes.nameOf(value(context, "backend", String.class, ""))
                        .orElseGet(StoreModule::defaultStore),
                byName);
    }

    private static Map<String, Choice> choices(ConditionContext context) {
        try {
            return Binder.get(context.getEnvironment())
                    .bind(DistributedLockProperties.PREFIX + ".locks", Bindable.mapOf(String.class, Choice.class))
                    .orElse(Map.of());
        } catch (BindException e) {
            return Map.of();
        }
    }

    /** The settings of a name that decide which beans there are. */
    record Choice(@Nullable String backend) {}

    /** Whether no parent context has an engine. Parents are complete before their children begin. */
    static boolean hasOwnLocks(ConfigurableListableBeanFactory beans) {
        return !(beans.getParentBeanFactory() instanceof ListableBeanFactory parent)
                || BeanFactoryUtils.beanNamesForTypeIncludingAncestors(parent, LockEngine.class, true, false).length
                        == 0;
    }

    static final class SeveralBackends implements Condition {

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return routes(context).inUse().size() > 1;
        }
    }

    /** Decides when the beans of the application are known. */
    static final class NoOwnBackend implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return context.getBeanFactory() == null || !hasOwnBackend(context.getBeanFactory());
        }
    }

    /** Whether the application declares a backend that the engine would get. */
    static boolean hasOwnBackend(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockBackend.class, true, false))
                .filter(name -> !isOfAStore(beans, name))
                .anyMatch(name ->
                        !beans.containsBeanDefinition(name) || isDefaultCandidate(beans.getMergedBeanDefinition(name)));
    }

    private static boolean isOfAStore(ConfigurableListableBeanFactory beans, String name) {
        if (!beans.containsBeanDefinition(name)
                && beans.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent) {
            return isOfAStore(parent, name);
        }
        return beans.findAnnotationOnBean(name, ConditionalOnMissingLockBackend.class, false) != null;
    }

    private static boolean isDefaultCandidate(BeanDefinition bean) {
        return bean.isAutowireCandidate()
                && !(bean instanceof AbstractBeanDefinition definition && !definition.isDefaultCandidate());
    }
}
