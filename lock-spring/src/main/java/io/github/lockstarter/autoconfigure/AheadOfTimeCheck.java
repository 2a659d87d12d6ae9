package io.github.lockstarter.autoconfigure;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.beans.factory.support.BeanDefinitionRegistry;
import org.springframework.beans.factory.support.RootBeanDefinition;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.ImportBeanDefinitionRegistrar;
import org.springframework.core.env.Environment;
import org.springframework.core.type.AnnotationMetadata;

/**
 * Fails the start of an application that was processed ahead of time with other values of the properties that decide
 * which beans there are. Its bean definition keeps the values as they are while definitions are made: at each start, or
 * at the build.
 */
final class AheadOfTimeCheck implements BeanFactoryPostProcessor {

    private final Map<String, String> decided;

    AheadOfTimeCheck(Map<String, String> decided) {
        this.decided = decided;
    }

    /** Values by the names of the properties that conditions read; only the first counts where locks are disabled. */
    private static Map<String, String> values(Environment environment) {
        Map<String, String> values = new LinkedHashMap<>();
        putBoolean(values, "enabled", "true", environment);
        if (Boolean.parseBoolean(values.get("enabled"))) {
            String first = LockConditions.backendsInUse(environment).iterator().next();
            values.put("backend", first);
            values.put("further-backends", String.join(",", LockConditions.furtherBackends(environment)));
            putBoolean(values, "log.mdc", "false", environment);
            putBoolean(values, "observation.enabled", "unset", environment);
            putBoolean(values, "web.problem-details", "true", environment);
        }
        return values;
    }

    private static void putBoolean(Map<String, String> values, String name, String absent, Environment environment) {
        Optional<Boolean> given = LockConditions.value(environment, name, Boolean.class);
        values.put(name, given.map(String::valueOf).orElse(absent));
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        Environment environment =
                beans.getBean(ConfigurableApplicationContext.ENVIRONMENT_BEAN_NAME, Environment.class);
        values(environment).forEach((name, value) -> {
            String built = decided.get(name);
            if (!value.equals(built)) {
                String property = DistributedLockProperties.PREFIX + '.' + name;
                throw new InvalidLockConfigurationException(
                        property + " is '" + value + "', but was '" + built
                                + "' when the application was built ahead of time",
                        "Start with " + property + '=' + built + " or without spring.aot.enabled, or build with "
                                + value);
            }
        });
    }

    /** Declares the check. */
    static final class Registrar implements ImportBeanDefinitionRegistrar {

        private final Environment environment;

        Registrar(Environment environment) {
            this.environment = environment;
        }

        @Override
        public void registerBeanDefinitions(AnnotationMetadata importing, BeanDefinitionRegistry registry) {
            RootBeanDefinition check = new RootBeanDefinition(AheadOfTimeCheck.class);
            check.getConstructorArgumentValues().addGenericArgumentValue(Map.copyOf(values(environment)));
            check.setRole(BeanDefinition.ROLE_INFRASTRUCTURE);
            registry.registerBeanDefinition("distributedLockAheadOfTimeCheck", check);
        }
    }
}
