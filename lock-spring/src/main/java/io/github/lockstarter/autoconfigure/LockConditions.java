package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.spi.LockBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.beans.factory.BeanFactoryUtils;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.Bindable;
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

    /** The stores that keep locks, before the properties are bound. */
    static Set<String> backendsInUse(Environment environment) {
        String backend = values(environment, "backend").findFirst().orElse("");
        return StoreModule.inUse(backend, furtherBackends(environment));
    }

    static List<String> furtherBackends(Environment environment) {
        return values(environment, "further-backends")
                .map(StoreModule::nameOf)
                .distinct()
                .toList();
    }

    /** The caches whose missing values are loaded once over all instances. */
    static Set<String> cacheNames(Environment environment) {
        return values(environment, "cache.names").collect(Collectors.toUnmodifiableSet());
    }

    private static Stream<String> values(Environment environment, String name) {
        try {
            String property = DistributedLockProperties.PREFIX + '.' + name;
            return Binder.get(environment).bind(property, Bindable.listOf(String.class)).orElse(List.of()).stream();
        } catch (BindException e) {
            return Stream.empty();
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
