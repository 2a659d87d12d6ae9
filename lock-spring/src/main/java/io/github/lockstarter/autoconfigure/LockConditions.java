package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.spi.LockBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindResult;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.ConfigurationCondition;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotatedTypeMetadata;

/**
 * Where the locks of an application are kept, before the properties are bound. A value that cannot be read counts as
 * the default: then the properties are bound, and explain what is wrong.
 */
final class LockConditions {

    private LockConditions() {}

    /** The value of a property, by its name without the prefix; empty where it is unset, or cannot be read. */
    static <T> Optional<T> value(Environment environment, String name, Class<T> type) {
        try {
            BindResult<T> bound = Binder.get(environment).bind(DistributedLockProperties.PREFIX + '.' + name, type);
            return bound.isBound() ? Optional.of(bound.get()) : Optional.empty();
        } catch (BindException e) {
            return Optional.empty();
        }
    }

    /** The stores that keep locks, before the properties are bound. */
    static Set<String> backendsInUse(Environment environment) {
        return StoreModule.inUse(value(environment, "backend", String.class).orElse(""), furtherBackends(environment));
    }

    static List<String> furtherBackends(Environment environment) {
        return value(environment, "further-backends", String[].class).stream()
                .flatMap(Arrays::stream)
                .map(StoreModule::nameOf)
                .distinct()
                .toList();
    }

    /** The caches whose missing values are loaded once over all instances. */
    static Set<String> cacheNames(Environment environment) {
        return value(environment, "cache.names", String[].class).stream()
                .flatMap(Arrays::stream)
                .collect(Collectors.toUnmodifiableSet());
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
