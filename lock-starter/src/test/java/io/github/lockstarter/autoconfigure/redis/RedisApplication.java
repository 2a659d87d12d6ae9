package io.github.lockstarter.autoconfigure.redis;

import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.kit.redis.RedisServer;
import java.util.LinkedHashMap;
import java.util.Map;
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
            "distributed-lock.max-wait=60s",
            PATIENT
        };
    }

    /** The properties as arguments of a program, and more, which replace those of the same name. */
    public static String[] arguments(RedisServer server, String... more) {
        Map<String, String> arguments = new LinkedHashMap<>();
        Stream.concat(Stream.of(properties(server)).map("--"::concat), Stream.of(more))
                .forEach(argument -> arguments.put(argument.substring(0, argument.indexOf('=')), argument));
        return arguments.values().toArray(String[]::new);
    }
}
