package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.aop.LockStartException;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.DirectFieldAccessor;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.context.ApplicationContext;
import org.springframework.data.redis.connection.RedisConfiguration;
import org.springframework.data.redis.connection.RedisConnectionFactory;
import org.springframework.data.redis.connection.RedisStandaloneConfiguration;
import org.springframework.data.redis.connection.RedisStaticMasterReplicaConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceClientConfiguration;
import org.springframework.data.redis.connection.lettuce.LettuceConnectionFactory;

/**
 * The Redis of the application, as its connection factory describes it.
 *
 * @param factory the application's own connection factory, or one that only the locks have
 * @param lockClientName what the lock's connections are called in {@code CLIENT LIST}
 * @param close ends what was made for the locks only
 */
record ApplicationRedis(LettuceConnectionFactory factory, String lockClientName, Runnable close) {

    /** The field of a connection factory that holds what it was made from. */
    static final String MADE_FROM = "configuration";

    private static final Logger log = LoggerFactory.getLogger(ApplicationRedis.class);
    private static final String MARK = "@DistributedLockRedisConnectionFactory";

    /**
     * The connection factory that is marked for locks, else the only or primary one.
     *
     * @param all every connection factory without a qualifier that hides it
     * @param marked those that are marked for locks
     * @throws LockStartException when there is none, or which one is meant is open
     */
    static RedisConnectionFactory factoryForLocks(
            ObjectProvider<RedisConnectionFactory> all, ObjectProvider<RedisConnectionFactory> marked) {
        boolean isMarked = marked.stream().findAny().isPresent();
        RedisConnectionFactory found = (isMarked ? marked : all).getIfUnique();
        if (found == null && !isMarked && all.stream().findAny().isEmpty()) {
            throw new LockStartException(
                    "Locks are kept in Redis, but the application has no RedisConnectionFactory",
                    "Have Spring Boot configure one: check that its Redis auto-configuration is not excluded, and set"
                            + " spring.data.redis.host. For tests without Redis set distributed-lock.backend=local");
        }
        if (found == null) {
            throw new LockStartException(
                    "Locks are kept in Redis, but the application has several RedisConnectionFactory beans"
                            + (isMarked ? " marked with " + MARK : ""),
                    "Mark only the one for locks with " + MARK + ", or the one for everything with @Primary");
        }
        if (isMarked && !(found instanceof LettuceConnectionFactory)) {
            throw new LockStartException(
                    "Locks need Lettuce, and the connection factory marked with " + MARK + " is a "
                            + found.getClass().getName(),
                    "Mark a LettuceConnectionFactory, or remove the mark: then locks use a Lettuce client of their own,"
                            + " to the Redis of spring.data.redis.*");
        }
        return found;
    }

    /**
     * The Redis that a connection factory leads to; if it belongs to another client than Lettuce, the Redis of
     * {@code spring.data.redis.*}.
     *
     * @throws LockStartException when these properties do not say where that is
     */
    static ApplicationRedis of(RedisConnectionFactory found, ApplicationContext application) {
        String name = nameOf(application);
        if (found instanceof LettuceConnectionFactory lettuce) {
            return of(lettuce, name, () -> {});
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

    private static ApplicationRedis of(LettuceConnectionFactory factory, String application, Runnable close) {
        String named = factory.getClientConfiguration().getClientName().orElse(application);
        return new ApplicationRedis(factory, lockClientName(named), close);
    }

    static String nameOf(ApplicationContext application) {
        return application.getEnvironment().getProperty("spring.application.name", "application");
    }

    /** The client name of the lock's connections: {@code CLIENT SETNAME} takes printable ASCII without spaces. */
    static String lockClientName(String application) {
        return application.replaceAll("[^!-~]", "-") + "-lock";
    }

    /** How the application talks to it. */
    LettuceClientConfiguration client() {
        return factory.getClientConfiguration();
    }

    /** Where it is, and how to log in: one, or each of those of which one is the master. */
    List<RedisConfiguration> servers() {
        return madeFrom() instanceof RedisStaticMasterReplicaConfiguration all
                ? all.getNodes().stream()
                        .<RedisConfiguration>map(node -> server(node.getHostName(), node.getPort(), all))
                        .toList()
                : List.of(madeFrom());
    }

    /** Where it is, for messages. */
    String target() {
        RedisConfiguration madeFrom = madeFrom();
        if (madeFrom instanceof RedisStaticMasterReplicaConfiguration all) {
            return "the master among "
                    + all.getNodes().stream()
                            .map(node -> node.getHostName() + ":" + node.getPort())
                            .toList();
        }
        if (madeFrom instanceof RedisConfiguration.ClusterConfiguration cluster) {
            return "the cluster of " + cluster.getClusterNodes();
        }
        if (madeFrom instanceof RedisConfiguration.SentinelConfiguration sentinels) {
            return "the master of sentinels " + sentinels.getSentinels();
        }
        return madeFrom instanceof RedisConfiguration.DomainSocketConfiguration socket
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
     * No accessor distinguishes a factory with static nodes from one to {@code localhost:6379}, where locks would be
     * kept if it were not recognised. Hence the look at its field, which fails the start where there is none. The
     * field of a proxy is empty.
     */
    private RedisConfiguration madeFrom() {
        Object madeFrom = new DirectFieldAccessor(factory).getPropertyValue(MADE_FROM);
        if (madeFrom == null) {
            throw new LockStartException(
                    "The application's connection factory, a "
                            + factory.getClass().getName()
                            + ", does not tell what it was made from, as that of a proxy does not",
                    "Declare a LettuceConnectionFactory that is not proxied, and mark it with " + MARK);
        }
        return (RedisConfiguration) madeFrom;
    }
}
