package io.github.lockstarter.autoconfigure;

import java.util.Set;
import org.springframework.beans.factory.support.AbstractBeanDefinition;
import org.springframework.beans.factory.support.BeanDefinitionBuilder;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Declares an engine and a template for each further store by the first engine's factory methods, not as default
 * candidates for injection.
 */
final class FurtherLocks implements ImportBeanDefinitionRegistrar {

    /** Selects the backend of the first engine. */
    static final String FIRST_BACKEND = "distributedLockBackend";

    private final Environment environment;

    FurtherLocks(Environment environment) {
        this.environment = environment;
    }

    @Override
    public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
        Set<String> backends = LockConditions.backendsInUse(environment);
        String first = backends.iterator().next();
        for (String backend : LockConditions.furtherBackends(environment)) {
            if (backend.equals(first) || first.equals(LockBackendOption.LOCAL)) {
                registry.registerAlias(LockEngineConfiguration.TEMPLATE, LockBackendOption.locksOf(backend));
            } else {
                registry.registerAlias(LockBackendOption.beanName(first), FIRST_BACKEND);
                register(backend, registry);
            }
        }
    }

    private static void register(String backend, BeanDefinitionRegistry registry) {
        AbstractBeanDefinition engine = definition(LockEngineConfiguration.ENGINE, LockBackendOption.beanName(backend));
        engine.setDestroyMethodName(LockEngineConfiguration.LEAVE_TO_LEASES);
        engine.setDependsOn(DistributedLockAutoConfiguration.OPTIONS);
        registry.registerBeanDefinition(LockBackendOption.engineName(backend), engine);
        registry.registerBeanDefinition(
                LockBackendOption.locksOf(backend),
                definition(LockEngineConfiguration.TEMPLATE, LockBackendOption.engineName(backend)));
    }

    /** Spring injects the other arguments of the factory method. */
    private static AbstractBeanDefinition definition(String method, String firstArgument) {
        AbstractBeanDefinition definition = BeanDefinitionBuilder.rootBeanDefinition(
                        LockEngineConfiguration.class, method)
                .addConstructorArgReference(firstArgument)
                .setAutowireMode(AbstractBeanDefinition.AUTOWIRE_CONSTRUCTOR)
                .getBeanDefinition();
        definition.setDefaultCandidate(false);
        return definition;
    }
}
