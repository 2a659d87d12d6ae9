package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import io.lettuce.core.resource.ClientResources;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.ApplicationContext;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.core.NativeDetector;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.Environment;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.MutablePropertySources;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.data.redis.connection.RedisClusterConfiguration;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisSentinelConfiguration;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;
import org.springframework.util.ClassUtils;

/**
 * The {@link LettuceConnectionFactory} that Boot would have configured, for an application with another Redis client.
 * Boot's auto-configuration creates it in a separate context, so all of {@code spring.data.redis.*} applies, in Boot 3
 * and 4: URL, login, SSL bundle, Sentinel, cluster, static nodes. That context shares only the application's
 * properties, connection details and Lettuce customizers.
 */
final class LettuceFromProperties implements AutoCloseable {

    private static final String PREFIX = "spring.data.redis.";

    private final AnnotationConfigApplicationContext context;

    private LettuceFromProperties(AnnotationConfigApplicationContext context) {
        this.context = context;
    }

    /**
     * Creates the factory without connecting it.
     *
     * @param unusable application's connection factory, for messages
     * @throws LockStartException if no address is configured, Boot's Redis auto-configuration is missing, or in a
     *     native image
     */
    static LettuceFromProperties of(ApplicationContext application, RedisConnectionFactory unusable) {
        if (NativeDetector.inNativeImage()) {
            throw failure(unusable, "a native image cannot create an additional Lettuce client", "Use Lettuce");
        }
        BootRedisClasses boot = BootRedisClasses.present(application.getClassLoader())
                .orElseThrow(() -> failure(
                        unusable,
                        "Spring Boot's Redis auto-configuration is not on the class path",
                        "Add spring-boot-starter-data-redis"));
        if (!namesServer(application.getEnvironment()) && !declaresServer(application, boot)) {
            throw failure(
                    unusable,
                    "spring.data.redis.* does not say where Redis is",
                    "Set spring.data.redis.host, .url, or the nodes of .sentinel or .cluster, even for localhost: then "
                            + "the locks use a Lettuce client of their own");
        }
        AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
        context.setDisplayName("Lettuce client of the distributed locks");
        context.setClassLoader(application.getClassLoader());
        context.setEnvironment(choosingLettuce((ConfigurableEnvironment) application.getEnvironment()));
        share(application, boot, context.getBeanFactory());
        context.register(boot.autoConfiguration());
        context.refresh();
        return new LettuceFromProperties(context);
    }

    LettuceConnectionFactory factory() {
        return context.getBean(LettuceConnectionFactory.class);
    }

    @Override
    public void close() {
        context.close();
    }

    /** Requires an address: Boot's default is localhost, which may differ from the other client's server. */
    static boolean namesServer(Environment environment) {
        Binder properties = Binder.get(environment);
        return Stream.of("host", "port", "url", "sentinel.master", "cluster.nodes", "masterreplica.nodes")
                .anyMatch(name -> properties
                        .bind(PREFIX + name, Bindable.listOf(String.class))
                        .isBound());
    }

    private static boolean declaresServer(ApplicationContext application, BootRedisClasses boot) {
        Object details = application.getBeanProvider(boot.connectionDetails()).getIfUnique();
        return (details != null && !boot.isFromProperties(details))
                || application.getBeanNamesForType(RedisConfiguration.class).length > 0;
    }

    private static StandardEnvironment choosingLettuce(ConfigurableEnvironment application) {
        StandardEnvironment environment = new StandardEnvironment();
        MutablePropertySources sources = environment.getPropertySources();
        sources.stream().map(PropertySource::getName).toList().forEach(sources::remove);
        application.getPropertySources().stream()
                .filter(source -> !ConfigurationPropertySources.isAttachedConfigurationPropertySource(source))
                .forEach(sources::addLast);
        sources.addFirst(new MapPropertySource("clientOfLocks", Map.of(PREFIX + "client-type", "lettuce")));
        return environment;
    }

    /** Registers singletons, which the separate context does not destroy. */
    private static void share(
            ApplicationContext application, BootRedisClasses boot, ConfigurableListableBeanFactory own) {
        Stream<Object> single = Stream.of(
                        SslBundles.class,
                        ClientResources.class,
                        RedisStandaloneConfiguration.class,
                        RedisSentinelConfiguration.class,
                        RedisClusterConfiguration.class,
                        RedisStaticMasterReplicaConfiguration.class,
                        boot.connectionDetails())
                .map(type -> application.getBeanProvider(type).getIfUnique());
        Stream<Object> customizers = boot.lettuceCustomizers().stream()
                .flatMap(type -> application.getBeanProvider(type).orderedStream());
        Stream.concat(single, customizers)
                .filter(Objects::nonNull)
                .forEach(bean -> own.registerSingleton("shared" + own.getSingletonCount(), bean));
    }

    private static LockStartException failure(RedisConnectionFactory unusable, String problem, String remedy) {
        return new LockStartException(
                "Locks need Lettuce, the application's connection factory is a "
                        + unusable.getClass().getName() + ", and " + problem,
                remedy + ". Or declare a LettuceConnectionFactory bean and mark it with"
                        + " @DistributedLockRedisConnectionFactory");
    }

    /**
     * Spring Boot's Redis auto-configuration and related classes, whose names differ between Boot 3 and 4.
     *
     * @param stem prefix of their names
     */
    private record BootRedisClasses(@Nullable ClassLoader loader, String packageName, String stem) {

        /** Empty if an application uses Spring Data Redis without Boot's module for it. */
        static Optional<BootRedisClasses> present(@Nullable ClassLoader loader) {
            return Stream.of(
                            new BootRedisClasses(
                                    loader, "org.springframework.boot.data.redis.autoconfigure", "DataRedis"),
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
}
