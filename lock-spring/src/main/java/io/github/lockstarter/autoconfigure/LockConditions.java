package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.spi.LockBackend;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
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
 * Reads the selected stores before the properties are bound. An unreadable value counts as the default: the binding
 * reports it.
 */
final class LockConditions {

    private LockConditions() {}

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

    private static Stream<String> values(Environment environment, String name) {
        try {
            String property = DistributedLockProperties.PREFIX + '.' + name;
            return Binder.get(environment).bind(property, Bindable.listOf(String.class)).orElse(List.of()).stream();
        } catch (BindException e) {
            return Stream.empty();
        }
    }

    /** Evaluated when all bean definitions are registered. */
    static final class NoApplicationBackend implements ConfigurationCondition {

        @Override
        public ConfigurationPhase getConfigurationPhase() {
            return ConfigurationPhase.REGISTER_BEAN;
        }

        @Override
        public boolean matches(ConditionContext context, AnnotatedTypeMetadata metadata) {
            return context.getBeanFactory() == null || !hasApplicationBackend(context.getBeanFactory());
        }
    }

    /** Whether the application declares a backend for injection by type. */
    static boolean hasApplicationBackend(ConfigurableListableBeanFactory beans) {
        return Arrays.stream(BeanFactoryUtils.beanNamesForTypeIncludingAncestors(beans, LockBackend.class, true, false))
                .filter(name -> !isStoreBackend(beans, name))
                .anyMatch(name ->
                        !beans.containsBeanDefinition(name) || isDefaultCandidate(beans.getMergedBeanDefinition(name)));
    }

    private static boolean isStoreBackend(ConfigurableListableBeanFactory beans, String name) {
        if (!beans.containsBeanDefinition(name)
                && beans.getParentBeanFactory() instanceof ConfigurableListableBeanFactory parent) {
            return isStoreBackend(parent, name);
        }
        return beans.findAnnotationOnBean(name, ConditionalOnMissingLockBackend.class, false) != null;
    }

    private static boolean isDefaultCandidate(BeanDefinition bean) {
        return bean.isAutowireCandidate()
                && !(bean instanceof AbstractBeanDefinition definition && !definition.isDefaultCandidate());
    }
}
