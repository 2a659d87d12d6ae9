package io.github.lockstarter.autoconfigure.redis;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * Spring Boot's Redis auto-configuration and related classes, whose names differ between Boot 3 and 4.
 *
 * @param stem prefix of their names
 */
record BootRedisClasses(@Nullable ClassLoader loader, String packageName, String stem) {

    /** Empty if an application uses Spring Data Redis without Boot's module for it. */
    static Optional<BootRedisClasses> present(@Nullable ClassLoader loader) {
        return Stream.of(
                        new BootRedisClasses(loader, "org.springframework.boot.data.redis.autoconfigure", "DataRedis"),
                        new BootRedisClasses(loader, "org.springframework.boot.autoconfigure.data.redis", "Redis"))
                .filter(classes -> ClassUtils.isPresent(classes.named("AutoConfiguration"), loader))
                .findFirst();
    }

    Class<?> autoConfiguration() {
        return load(named("AutoConfiguration"));
    }

    /** Address and login. */
    Class<?> connectionDetails() {
        return load(named("ConnectionDetails"));
    }

    /** Whether Boot created the details from {@code spring.data.redis.*}, so they add nothing to the properties. */
    boolean isFromProperties(Object details) {
        return details.getClass().getName().startsWith(packageName + ".Properties");
    }

    List<Class<?>> lettuceCustomizers() {
        return Stream.of(
                        "ClientResourcesBuilderCustomizer",
                        "LettuceClientConfigurationBuilderCustomizer",
                        "LettuceClientOptionsBuilderCustomizer")
                .<Class<?>>map(name -> load(packageName + '.' + name))
                .toList();
    }

    private String named(String name) {
        return packageName + '.' + stem + name;
    }

    private Class<?> load(String name) {
        return ClassUtils.resolveClassName(name, loader);
    }
}
