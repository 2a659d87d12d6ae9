package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.autoconfigure.PropertyNames.Spelling;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.config.BeanFactoryPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.boot.origin.Origin;
import org.springframework.boot.origin.PropertySourceOrigin;
import org.springframework.context.EnvironmentAware;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.SystemEnvironmentPropertySource;

/**
 * Warns of settings below {@code distributed-lock} that no property takes, whichever module declares the properties,
 * and of those below {@code spring.distributed-lock}. They do not fail the start: a newer version that shares the
 * configuration may know the property, and an environment variable may be meant for another program. Spring Boot's own
 * check knows the properties of one class only, and passes over system properties.
 */
final class UnknownPropertyCheck implements BeanFactoryPostProcessor, EnvironmentAware {

    private static final Logger log = LoggerFactory.getLogger(UnknownPropertyCheck.class);

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(DistributedLockProperties.PREFIX);
    private static final ConfigurationPropertyName BELOW_SPRING =
            ConfigurationPropertyName.of("spring." + DistributedLockProperties.PREFIX);
    private static final Pattern VARIABLE = Pattern.compile("(SPRING_)?(DISTRIBUTED(_?)LOCK_)(.+)");

    /** Kubernetes gives each pod such variables for a service that is called distributed-lock. */
    private static final Pattern OF_A_SERVICE = Pattern.compile("(SERVICE_HOST|(SERVICE_)?PORT(_.+)?)");

    private MutablePropertySources sources = new MutablePropertySources();
    private PropertyNames names = new PropertyNames();
    private @Nullable ClassLoader loader;
    private boolean withUnused;

    /** No constructor could be given it: this is one of the first beans. */
    @Override
    public void setEnvironment(Environment environment) {
        if (environment instanceof ConfigurableEnvironment configurable) {
            sources = configurable.getPropertySources();
        }
    }

    @Override
    public void postProcessBeanFactory(ConfigurableListableBeanFactory beans) {
        if (!LockConditions.hasOwnLocks(beans)) {
            return; // the context that has the locks has warned
        }
        names = PropertyNames.declaredIn(beans);
        loader = beans.getBeanClassLoader();
        for (PropertySource<?> source : sources) {
            if (source instanceof SystemEnvironmentPropertySource variables) {
                checkVariables(variables);
            } else if (ConfigurationPropertySource.from(source) instanceof IterableConfigurationPropertySource all) {
                all.stream().forEach(name -> checkProperty(name, all));
            }
        }
    }

    private void checkProperty(ConfigurationPropertyName name, ConfigurationPropertySource source) {
        boolean belowSpring = BELOW_SPRING.isAncestorOf(name);
        if (!belowSpring && !PREFIX.isAncestorOf(name)) {
            return;
        }
        ConfigurationProperty property = source.getConfigurationProperty(name);
        ConfigurationPropertyName rest = name.subName((belowSpring ? BELOW_SPRING : PREFIX).getNumberOfElements());
        if (property != null && (belowSpring || !isKnown(rest, property.getValue()))) {
            warn(name, property.getOrigin(), names.nearest(rest).map(UnknownPropertyCheck::inFull));
        }
    }

    /** An empty group is what a YAML file has without the properties of the group. */
    private boolean isKnown(ConfigurationPropertyName name, Object value) {
        return isKnown(declared -> declared.isKnown(name) || (value.equals("") && declared.isGroup(name)));
    }

    /** Looks at the whole class path only for what no bean declares. */
    private boolean isKnown(Predicate<PropertyNames> known) {
        if (known.test(names)) {
            return true;
        }
        if (!withUnused) {
            withUnused = true;
            names.addUnused(loader);
        }
        return known.test(names);
    }

    private void checkVariables(SystemEnvironmentPropertySource variables) {
        for (String name : variables.getPropertyNames()) {
            Matcher variable = VARIABLE.matcher(name.toUpperCase(Locale.ROOT));
            if (!variable.matches() || OF_A_SERVICE.matcher(variable.group(4)).matches()) {
                continue;
            }
            Spelling spelling = variable.group(3).isEmpty() ? Spelling.CANONICAL : Spelling.UNDERSCORED;
            Origin origin = PropertySourceOrigin.get(variables, name);
            if (variable.group(1) != null) {
                ConfigurationPropertyName rest = ConfigurationPropertyName.adapt(variable.group(4), '_');
                warn(name, origin, names.nearest(rest).map(UnknownPropertyCheck::inFull));
            } else if (!isKnown(declared -> declared.isKnown(variable.group(4), spelling))) {
                warn(name, origin, names.nearest(variable.group(4), spelling).map(meant -> variable.group(2) + meant));
            }
        }
    }

    private static String inFull(String property) {
        return DistributedLockProperties.PREFIX + '.' + property;
    }

    private static void warn(Object name, @Nullable Origin origin, Optional<String> meant) {
        log.warn(
                "{} sets no property of distributed-lock in this version ({}).{}",
                name,
                origin,
                meant.map(text -> " Did you mean " + text + "?").orElse(""));
    }
}
