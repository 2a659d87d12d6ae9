package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockTerms;
import io.github.lockstarter.aop.LockAdvisor;
import io.github.lockstarter.aop.LockStartException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.aot.AotDetector;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** The stores on the class path. Validates the configuration before the engine exists. */
final class LockBackendOptions {

    private static final Logger log = LoggerFactory.getLogger(LockBackendOptions.class);

    private static final String BACKEND = DistributedLockProperties.PREFIX + ".backend";
    private static final String FURTHER = DistributedLockProperties.PREFIX + ".further-backends";
    private static final String REDLOCK = "redlock";
    private static final String REDLOCK_NODES = DistributedLockProperties.PREFIX + '.' + REDLOCK + ".nodes";

    private static final ConfigurationPropertyName PREFIX =
            ConfigurationPropertyName.of(DistributedLockProperties.PREFIX);

    /** The meters have the first. */
    private static final List<ConfigurationPropertyName> MISTAKEN_PREFIXES = Stream.of(
                    "distributed.lock", "distributed-locks", "spring.distributed-lock")
            .map(ConfigurationPropertyName::of)
            .toList();

    private final DistributedLockProperties properties;
    private final Map<String, LockBackendOption> byName;

    /** @param environment has the raw values, for messages */
    LockBackendOptions(
            DistributedLockProperties properties,
            Stream<LockBackendOption> options,
            Environment environment,
            ConfigurableListableBeanFactory beans) {
        this.properties = properties;
        this.byName = new TreeMap<>(options.collect(Collectors.toMap(LockBackendOption::name, Function.identity())));
        if (AotDetector.useGeneratedArtifacts()) {
            checkBuild(beans);
        }
        if (properties.enabled()) {
            if (LockConditions.hasApplicationBackend(beans)) {
                rejectFurtherBackends();
            } else {
                checkNames(environment);
                rejectUnusedNodes(environment);
            }
            ConfigurationPropertySources.get(environment).forEach(LockBackendOptions::warnOfMistakenPrefixes);
        }
        for (LockBackendOption option : byName.values()) {
            try {
                option.checkConfiguration(properties);
            } catch (IllegalArgumentException e) {
                throw LockStartException.of(e);
            }
        }
    }

    /** The build fixed the beans: with other values, locks would be in the wrong store, or missing. */
    private void checkBuild(ConfigurableListableBeanFactory beans) {
        boolean hasLocks = beans.getBeanNamesForType(LockAdvisor.class, true, false).length > 0;
        if (hasLocks != properties.enabled()) {
            throw otherBuild(DistributedLockProperties.PREFIX + ".enabled", String.valueOf(properties.enabled()));
        }
        if (hasLocks && !LockConditions.hasApplicationBackend(beans)) {
            for (String backend : properties.backendsInUse()) {
                if (!beans.containsBean(LockBackendOption.beanName(backend))) {
                    throw otherBuild(backend.equals(properties.backend()) ? BACKEND : FURTHER, backend);
                }
            }
            List<String> namesOfFirst = List.of(beans.getAliases(LockBackendOption.beanName(properties.backend())));
            if (beans.containsBean(FurtherLocks.FIRST_BACKEND) && !namesOfFirst.contains(FurtherLocks.FIRST_BACKEND)) {
                throw otherBuild(BACKEND, properties.backend());
            }
        }
    }

    private static LockStartException otherBuild(String property, String value) {
        return new LockStartException(
                property + " is '" + value + "', but was not when the application was built ahead of time",
                "Build with this value, or start with that of the build or without spring.aot.enabled");
    }

    /** Stores declare no backend if the application does. */
    private void rejectFurtherBackends() {
        if (!properties.furtherBackends().isEmpty()) {
            throw new LockStartException(
                    FURTHER + " is " + properties.furtherBackends() + ", and the application declares a LockBackend",
                    "Remove the property, or the bean");
        }
    }

    private void checkNames(Environment environment) {
        String backend = properties.backend();
        String written = environment.getProperty(BACKEND, "");
        if (!byName.containsKey(backend)) {
            throw missing(
                    backend,
                    BACKEND + (written.isBlank() ? " is unset (default '" + backend + "')" : " is '" + written + "'"));
        }
        for (String further : properties.furtherBackends()) {
            boolean known = byName.containsKey(further) && !further.equals(LockBackendOption.LOCAL);
            if (!known && !backend.equals(LockBackendOption.LOCAL)) {
                throw missing(further, FURTHER + " names '" + further + "'");
            }
        }
    }

    /** The locks that are meant for a quorum would be in another store. Its module, if present, checks this itself. */
    private void rejectUnusedNodes(Environment environment) {
        boolean unused = !byName.containsKey(REDLOCK) && !properties.backend().equals(LockBackendOption.LOCAL);
        List<String> nodes = Binder.get(environment)
                .bind(REDLOCK_NODES, Bindable.listOf(String.class))
                .orElse(List.of());
        if (unused && !nodes.isEmpty()) {
            String module = StoreModule.dependencyOf(REDLOCK).orElseThrow();
            throw new LockStartException(
                    REDLOCK_NODES + " is set, and no lock is kept there: the store 'redlock' needs the dependency "
                            + module + ", which is not on the class path",
                    "Add " + module + " in the version of lock-starter, or remove the nodes");
        }
    }

    /** Not an error: the application may have such properties of its own. */
    private static void warnOfMistakenPrefixes(ConfigurationPropertySource source) {
        for (ConfigurationPropertyName mistaken : MISTAKEN_PREFIXES) {
            String unread = !(source instanceof IterableConfigurationPropertySource properties)
                    ? ""
                    : properties.stream()
                            .filter(name -> mistaken.isAncestorOf(name) && !isRead(name, mistaken, source))
                            .map(ConfigurationPropertyName::toString)
                            .sorted()
                            .collect(Collectors.joining(", "));
            if (!unread.isEmpty()) {
                log.warn("lock-starter does not read {}: its properties begin with {}", unread, PREFIX);
            }
        }
    }

    /** Boot reads {@code DISTRIBUTED_LOCK_LEASE} under either name. */
    private static boolean isRead(
            ConfigurationPropertyName name, ConfigurationPropertyName mistaken, ConfigurationPropertySource source) {
        return source.getConfigurationProperty(PREFIX.append(name.subName(mistaken.getNumberOfElements()))) != null;
    }

    private LockStartException missing(String store, String setting) {
        Optional<String> module = StoreModule.dependencyOf(store);
        return new LockStartException(
                setting + ", and the application has no such store; it has " + byName.keySet()
                        + module.map(name -> ". The store '" + store + "' needs the dependency " + name
                                        + ", which is not on the class path")
                                .orElse(""),
                module.map(name -> "Add " + name + " in the version of lock-starter")
                                .orElse("Correct the name, or add the module that has this store")
                        + ", or set " + BACKEND + " to one of " + byName.keySet() + ", of which '"
                        + LockBackendOption.LOCAL + "' keeps all locks in this JVM, for tests");
    }

    /**
     * @param terms completed terms
     * @param locks name of the {@code LockOperations} bean; blank for the primary one
     * @throws IllegalArgumentException if the store does not support the terms; names the fix
     */
    void check(List<String> keys, LockTerms terms, String locks) {
        LockBackendOption option = byName.get(storeOf(locks));
        if (option != null) {
            checkMode(option, keys, terms);
            keys.forEach(key -> option.checkTerms(terms, key));
        }
    }

    /** The given name itself for a bean of the application. */
    String storeOf(String locks) {
        return locks.isBlank()
                ? properties.backend()
                : properties.backendsInUse().stream()
                        .filter(backend -> locks.equals(LockBackendOption.locksOf(backend)))
                        .findFirst()
                        .orElse(locks);
    }

    private static void checkMode(LockBackendOption option, List<String> keys, LockTerms terms) {
        if (terms.reads() && !option.hasReaders()) {
            throw new IllegalArgumentException(
                    "Lock '" + String.join(", ", keys) + "' is read (mode READ), and the store"
                            + " '" + option.name()
                            + "' has no locks for readers. Leave the mode out, or keep the lock in another"
                            + " store: distributed-lock.further-backends");
        }
    }
}
