package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import io.github.lockstarter.redis.connector.LockClientResources;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.NoUniqueBeanDefinitionException;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.ApplicationContext;
import org.springframework.core.env.Environment;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of the application, from its connection factory.
 *
 * @param factory application's connection factory, or one only for locks
 * @param lockClientName name of the lock connections in {@code CLIENT LIST}
 * @param close closes resources created only for locks
 */
record ApplicationRedis(LettuceConnectionFactory factory, String lockClientName, Runnable close) {

    /** The field of a connection factory's configuration. */
    static final String SETUP_FIELD = "configuration";

    private static final Logger log = LoggerFactory.getLogger(ApplicationRedis.class);
    private static final String BOOT_DEFAULT = "localhost:6379";
    private static final String MARK = "@DistributedLockRedisConnectionFactory";

    /**
     * The connection factory marked for locks, else the only or primary one.
     *
     * @param all connection factories that are injectable without a qualifier
     * @throws LockStartException if there is none, or the choice is ambiguous
     */
    static RedisConnectionFactory factoryForLocks(
            ObjectProvider<RedisConnectionFactory> all, ObjectProvider<RedisConnectionFactory> marked) {
        boolean anyMarked = marked.stream().findAny().isPresent();
        RedisConnectionFactory found = onlyOne(anyMarked ? marked : all);
        if (found == null && !anyMarked && all.stream().findAny().isEmpty()) {
            throw new LockStartException(
                    "Locks are kept in Redis, but the application has no RedisConnectionFactory",
                    "Have Spring Boot configure one: check that its Redis auto-configuration is not excluded, and set"
                            + " spring.data.redis.host. For tests without Redis set distributed-lock.backend=local");
        }
        if (found == null) {
            throw new LockStartException(
                    "Locks are kept in Redis, but the application has several RedisConnectionFactory beans"
                            + (anyMarked ? " marked with " + MARK : ""),
                    "Mark only the one for locks with " + MARK + ", or the one for everything with @Primary");
        }
        if (anyMarked && !(found instanceof LettuceConnectionFactory)) {
            throw new LockStartException(
                    "Locks need Lettuce, and the connection factory marked with " + MARK + " is a "
                            + found.getClass().getName(),
                    "Mark a LettuceConnectionFactory, or remove the mark: then locks use a Lettuce client of their own,"
                            + " to the Redis of spring.data.redis.*");
        }
        return found;
    }

    private static @Nullable RedisConnectionFactory onlyOne(ObjectProvider<RedisConnectionFactory> factories) {
        try {
            return factories.getIfUnique();
        } catch (NoUniqueBeanDefinitionException severalPrimaryOnes) {
            return null;
        }
    }

    /** The Redis of a Lettuce connection factory; with another client, the Redis of {@code spring.data.redis.*}. */
    static ApplicationRedis of(RedisConnectionFactory found, ApplicationContext application) {
        String name = application.getEnvironment().getProperty("spring.application.name", "application");
        if (found instanceof LettuceConnectionFactory lettuce) {
            ApplicationRedis redis = of(lettuce, name, () -> {});
            refuseDefaultBesideValkey(redis, application.getEnvironment());
            return redis;
        }
        LettuceFromProperties own = LettuceFromProperties.of(application, found);
        ApplicationRedis redis = of(own.factory(), name, own::close);
        log.info(
                "Distributed locks use a Lettuce client of their own, to Redis at {} from spring.data.redis.*: the"
                        + " application's connection factory is a {}",
                redis.target(),
                found.getClass().getName());
        return redis;
    }

    /** Beside Spring Data Valkey, Boot's Redis has its default address, and the application's server another one. */
    private static void refuseDefaultBesideValkey(ApplicationRedis redis, Environment environment) {
        boolean valkey = Binder.get(environment)
                .bind("spring.data.valkey", Bindable.mapOf(String.class, Object.class))
                .isBound();
        if (valkey && redis.target().equals(BOOT_DEFAULT) && !LettuceFromProperties.namesServer(environment)) {
            throw new LockStartException(
                    "The application has its Valkey in spring.data.valkey.*, which locks do not read: they would be"
                            + " kept in Redis at " + BOOT_DEFAULT,
                    "Set spring.data.redis.host, .url, or the nodes of .sentinel or .cluster to the Valkey, even for"
                            + " localhost, with its login and TLS");
        }
    }

    private static ApplicationRedis of(LettuceConnectionFactory factory, String application, Runnable close) {
        String named = factory.getClientConfiguration().getClientName().orElse(application);
        return new ApplicationRedis(factory, LockClientResources.clientName(named), close);
    }

    LettuceClientConfiguration client() {
        return factory.getClientConfiguration();
    }

    /** Address and login of the server, or of each server in a group with one master. */
    List<RedisConfiguration> servers() {
        return configuration() instanceof RedisStaticMasterReplicaConfiguration all
                ? all.getNodes().stream()
                        .<RedisConfiguration>map(node -> server(node.getHostName(), node.getPort(), all))
                        .toList()
                : List.of(configuration());
    }

    /** The address, for messages. Databases of one server are as different as servers. */
    String target() {
        int database = factory.getDatabase();
        return database == 0 ? address() : address() + ", database " + database;
    }

    private String address() {
        RedisConfiguration configuration = configuration();
        if (configuration instanceof RedisStaticMasterReplicaConfiguration all) {
            return "the master among "
                    + all.getNodes().stream()
                            .map(node -> node.getHostName() + ":" + node.getPort())
                            .toList();
        }
        if (configuration instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return "the cluster of " + cluster.getClusterNodes();
        }
        if (configuration instanceof RedisConfiguration.SentinelConfiguration sentinels) {
            return "the master of sentinels " + sentinels.getSentinels();
        }
        return configuration instanceof RedisConfiguration.DomainSocketConfiguration socket
                ? socket.getSocket()
                : factory.getHostName() + ":" + factory.getPort();
    }

    private static RedisStandaloneConfiguration server(
            String host, int port, RedisStaticMasterReplicaConfiguration login) {
        RedisStandaloneConfiguration server = new RedisStandaloneConfiguration(host, port);
        server.setDatabase(login.getDatabase());
        server.setUsername(login.getUsername());
        server.setPassword(login.getPassword());
        return server;
    }

    /**
     * Reads the field, because no accessor distinguishes a factory with static nodes from one for {@code
     * localhost:6379}, where locks would otherwise be kept. Startup fails if it is missing; a proxy's field is empty.
     */
    private RedisConfiguration configuration() {
        Object configuration = new DirectFieldAccessor(factory).getPropertyValue(SETUP_FIELD);
        if (configuration == null) {
            throw new LockStartException(
                    "The application's connection factory, a "
                            + factory.getClass().getName()
                            + ", has no configuration, probably because it is a proxy",
                    "Declare a LettuceConnectionFactory that is not proxied, and mark it with " + MARK);
        }
        return (RedisConfiguration) configuration;
    }
}
