package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.PropertyNames.Spelling;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.UnboundConfigurationPropertiesException;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Finds settings that no property takes and that Spring Boot does not look at when it binds the others: system
 * properties, environment variables, and what stands below {@code spring.distributed-lock}. They fail the start, except
 * a variable that may be meant for another program: that one is warned of.
 */
@ConditionalOnOwnLocks
final class UnknownPropertyCheck implements BeanFactoryPostProcessor, EnvironmentAware {

    private static final Logger log = LoggerFactory.getLogger(UnknownPropertyCheck.class);

    private static final Pattern BELOW_SPRING =
            Pattern.compile("spring\\.distributed[-_]?lock\\.(.+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern PROPERTY = Pattern.compile("distributed[-_]?lock\\.(.+)", Pattern.CASE_INSENSITIVE);
    private static final Pattern VARIABLE = Pattern.compile("(SPRING_)?(DISTRIBUTED(_?)LOCK_)(.+)");

    /** Kubernetes gives each pod such variables for a service that is called distributed-lock. */
    private static final Pattern OF_A_SERVICE = Pattern.compile("(SERVICE_HOST|(SERVICE_)?PORT(_.+)?)");

    private final Set<ConfigurationProperty> unknown = new LinkedHashSet<>();
    private MutablePropertySources sources = new MutablePropertySources();

    /** No constructor could be given it: this is one of the first beans. */
    @Override
    public void setEnvironment(Environment environment) {
        if (environment instanceof ConfigurableEnvironment configurable) {
            sources = configurable.getPropertySources();
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        for (PropertySource<?> source : sources) {
            if (source instanceof EnumerablePropertySource<?> enumerable) {
                for (String name : enumerable.getPropertyNames()) {
                    check(name, source);
                }
            }
        }
        if (!unknown.isEmpty()) {
            throw new UnboundConfigurationPropertiesException(unknown);
        }
    }

    private void check(String name, PropertySource<?> source) {
        if (source instanceof SystemEnvironmentPropertySource) {
            checkVariable(name, source);
            return;
        }
        Matcher belowSpring = BELOW_SPRING.matcher(name);
        Matcher property = PROPERTY.matcher(name);
        if (belowSpring.matches()) {
            add("spring.", belowSpring.group(1), name, source);
        } else if (source.getName().equals(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME)
                && property.matches()
                && !PropertyNames.isKnown(property.group(1))) {
            add("", property.group(1), name, source);
        }
    }

    private void checkVariable(String name, PropertySource<?> source) {
        Matcher variable = VARIABLE.matcher(name.toUpperCase(Locale.ROOT));
        if (!variable.matches() || OF_A_SERVICE.matcher(variable.group(4)).matches()) {
            return;
        }
        Spelling spelling = variable.group(3).isEmpty() ? Spelling.CANONICAL : Spelling.UNDERSCORED;
        if (variable.group(1) != null) {
            add("spring.", variable.group(4).replace('_', '.'), name, source);
        } else if (!spelling.isKnown(variable.group(4))) {
            log.warn(
                    "Environment variable {} sets no property of distributed-lock.{}",
                    name,
                    spelling.nearest(variable.group(4))
                            .map(meant -> " Did you mean " + variable.group(2) + meant + "?")
                            .orElse(""));
        }
    }

    private void add(String parent, String rest, String name, PropertySource<?> source) {
        unknown.add(new ConfigurationProperty(
                ConfigurationPropertyName.adapt(parent + DistributedLockProperties.PREFIX + '.' + rest, '.'),
                "",
                PropertySourceOrigin.get(source, name)));
    }
}
