package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.stream.Stream;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.data.redis.autoconfigure.DataRedisAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** An application with its locks in a server of a test, and with times that a busy machine keeps. */
public final class RedisApplication {

    /** For applications that are led to a server in another way. */
    public static final String PATIENT = "distributed-lock.redis.command-timeout=20s";

    private RedisApplication() {}

    public static ApplicationContextRunner on(RedisServer server) {
        return new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(
                        DataRedisAutoConfiguration.class,
                        DistributedLockAutoConfiguration.class,
                        RedisLockAutoConfiguration.class))
                .withPropertyValues(properties(server));
    }

    public static String[] properties(RedisServer server) {
        return new String[] {
            "spring.data.redis.host=" + server.host(),
            "spring.data.redis.port=" + server.port(),
            "distributed-lock.wait=60s",
            PATIENT
        };
    }

    /** The properties, and more arguments of a program, which come last and so prevail. */
    public static String[] arguments(RedisServer server, String... more) {
        return Stream.concat(Stream.of(properties(server)).map(property -> "--" + property), Stream.of(more))
                .toArray(String[]::new);
    }
}
