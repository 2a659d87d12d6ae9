package io.github.lockstarter.autoconfigure;

import io.github.lockstarter.LockRequest;
import io.github.lockstarter.spi.LockBackend;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.BeanFactory;

/**
 * The stores on the class path and what they say about the configuration, which is checked when this is made: before
 * any backend is.
 */
final class LockBackendOptions {

    private final BackendRoutes routes;
    private final Map<String, LockBackendOption> byName;

    /**
     * Checks the configuration.
     *
     * @param ownBackend whether the application keeps its locks in a backend of its own, whatever is configured
     * @throws InvalidLockConfigurationException when it names no store, or breaks the rules of one
     */
    LockBackendOptions(DistributedLockProperties properties, Stream<LockBackendOption> options, boolean ownBackend) {
        this.routes = properties.routes();
        this.byName = options.collect(
                Collectors.toMap(LockBackendOption::name, Function.identity(), (one, other) -> one, TreeMap::new));
        if (properties.enabled() && !ownBackend) {
            checkName("backend", properties.backend());
            properties.locks().forEach((name, named) -> checkName("locks." + name + ".backend", named.backend()));
        }
        for (LockBackendOption option : byName.values()) {
            try {
                option.checkConfiguration(properties);
            } catch (IllegalArgumentException e) {
                throw new InvalidLockConfigurationException(e);
            }
        }
    }

    private void checkName(String property, @Nullable String backend) {
        if (backend != null && !byName.containsKey(backend)) {
            throw new InvalidLockConfigurationException(
                    new IllegalArgumentException(DistributedLockProperties.PREFIX + '.' + property + " is '" + backend
                            + "', and the application has no such store; it has " + byName.keySet()));
        }
    }

    /**
     * Checks a request against the rules of the stores that keep its keys.
     *
     * @throws IllegalArgumentException when one cannot; the message says what to change
     */
    void check(LockRequest request) {
        routes.check(request);
        for (String key : request.keys()) {
            LockBackendOption option = byName.get(routes.of(key));
            if (option != null) {
                option.checkRequest(request, key);
            }
        }
    }

    /** The backends in use as one. */
    RoutedBackend routed(BeanFactory beans) {
        return new RoutedBackend(
                routes,
                routes.inUse().stream()
                        .collect(Collectors.toMap(
                                Function.identity(),
                                name -> beans.getBean(LockBackendOption.beanName(name), LockBackend.class))));
    }
}
