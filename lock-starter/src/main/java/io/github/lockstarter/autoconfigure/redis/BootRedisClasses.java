package io.github.lockstarter.autoconfigure.redis;

import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.util.ClassUtils;

/**
 * The Redis auto-configuration of Spring Boot and what configures it, which have other names in Boot 4 than in Boot 3.
 *
 * @param loader loads the classes
 * @param packageName where they are
 * @param stem how their names begin
 */
record BootRedisClasses(@Nullable ClassLoader loader, String packageName, String stem) {

    /** Those on the class path; empty where an application has Spring Data Redis without Boot's module for it. */
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

    /** Where Redis is, and how to log in. */
    Class<?> connectionDetails() {
        return load(named("ConnectionDetails"));
    }

    /** Whether Boot made these details of {@code spring.data.redis.*}, so that they say no more than the properties. */
    boolean isFromProperties(Object details) {
        return details.getClass().getName().startsWith(packageName + ".Properties");
    }

    /** What an application declares to change the Lettuce client that Boot configures. */
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
