package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.source.ConfigurationProperty;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.core.env.Environment;

/**
 * The stores on the class path and what they say about the configuration, which is checked when this is made: before
 * the engine is.
 */
final class LockBackendOptions {

    private static final String FURTHER = DistributedLockProperties.PREFIX + ".further-backends";

    private final DistributedLockProperties properties;
    private final Map<String, LockBackendOption> byName = new TreeMap<>();

    /**
     * Checks the configuration.
     *
     * @param environment has the values as they are written, and says where
     * @param beans says whether the application keeps its locks in a backend of its own, whatever is configured
     * @throws InvalidLockConfigurationException when it names no store, or breaks the rules of one
     */
    LockBackendOptions(
            DistributedLockProperties properties,
            Stream<LockBackendOption> options,
            Environment environment,
            ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        options.forEach(this::add);
        if (properties.enabled()) {
            if (LockConditions.hasOwnBackend(beans)) {
                checkOwnBackend();
            } else {
                checkNames(environment);
            }
        }
        for (LockBackendOption option : byName.values()) {
            try {
                option.checkConfiguration(properties);
            } catch (IllegalArgumentException e) {
                throw new InvalidLockConfigurationException(e);
            }
        }
    }

    private void add(LockBackendOption option) {
        if (byName.putIfAbsent(option.name(), option) != null) {
            throw new InvalidLockConfigurationException(
                    "A LockBackendOption has the name '" + option.name() + "', which is taken: "
                            + option.getClass().getName(),
                    "Give the option another name, or remove one of the modules that declare it");
        }
    }

    /** The stores make no backend beside it. */
    private void checkOwnBackend() {
        if (!properties.furtherBackends().isEmpty()) {
            throw new InvalidLockConfigurationException(
                    FURTHER + " is " + properties.furtherBackends() + ", and the application declares a LockBackend",
                    "Remove the property, or the bean");
        }
    }

    private void checkNames(Environment environment) {
        checkName(
                ConfigurationPropertyName.of(DistributedLockProperties.PREFIX + ".backend"),
                properties.backend(),
                environment);
        if (properties.backend().equals(LockBackendOption.LOCAL)) {
            return;
        }
        for (String further : properties.furtherBackends()) {
            if (!byName.containsKey(further) || further.equals(LockBackendOption.LOCAL)) {
                throw new InvalidLockConfigurationException(
                        FURTHER + " names '" + further + "', and the application has no such store; it has "
                                + byName.keySet() + ", of which '" + LockBackendOption.LOCAL + "' is for all locks",
                        "Correct the name, or add the module that has this store");
            }
        }
    }

    private void checkName(ConfigurationPropertyName property, String backend, Environment environment) {
        if (byName.containsKey(backend)) {
            return;
        }
        Optional<ConfigurationProperty> configured = configured(property, environment);
        if (configured.isEmpty() && Set.of(LockBackendOption.LOCAL).containsAll(byName.keySet())) {
            throw new InvalidLockConfigurationException(
                    "The application has no lock store: " + property + " is unset (default '" + backend
                            + "'), and no module with a store is on the class path",
                    "Add lock-starter, or the module of another store, or declare a LockBackend bean. For tests set "
                            + property + '=' + LockBackendOption.LOCAL);
        }
        String is = configured
                .map(set -> " is '" + environment.resolvePlaceholders(String.valueOf(set.getValue())) + "' ("
                        + set.getOrigin() + ')')
                .orElse(" is unset (default '" + backend + "')");
        String missing = property + is + ", and the application has no such store; it has " + byName.keySet();
        Optional<String> dependency = StoreModule.dependencyOf(backend);
        throw new InvalidLockConfigurationException(
                dependency
                        .map(module -> missing + ". The store '" + backend + "' needs the dependency " + module
                                + ", which is not on the class path")
                        .orElse(missing),
                dependency
                                .map(module -> "Add " + module + " in the version of lock-starter, or set ")
                                .orElse("Add the module that has this store, or set ")
                        + property + " to one of " + byName.keySet());
    }

    /** As it is written: bound properties keep neither the text nor its origin. */
    private static Optional<ConfigurationProperty> configured(ConfigurationPropertyName name, Environment environment) {
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            ConfigurationProperty property = source.getConfigurationProperty(name);
            if (property != null && !property.getValue().toString().isBlank()) {
                return Optional.of(property);
            }
        }
        return Optional.empty();
    }

    /**
     * Checks a request against the rules of the store that keeps it.
     *
     * @param locks name of the bean that keeps the lock; blank for the one that is injected by type
     * @throws IllegalArgumentException when the store cannot keep the lock as requested; says what to change
     */
    void check(LockRequest request, String locks) {
        for (String backend : properties.backendsInUse()) {
            LockBackendOption option = byName.get(backend);
            boolean keeps = locks.isBlank()
                    ? backend.equals(properties.backend())
                    : locks.equals(LockBackendOption.locksOf(backend));
            if (option != null && keeps) {
                request.keys().forEach(key -> option.checkRequest(request, key));
            }
        }
    }
}
