package io.github.lockstarter.coexistence;

import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with one of the peers, and the Redis that both libraries use. */
final class RunningApplication implements AutoCloseable {

    private final Redis redis = new Redis();
    private final ConfigurableApplicationContext context;

    private RunningApplication(Class<?> application, Peer peer, String... properties) {
        SpringApplication spring = new SpringApplication(application);
        spring.setMainApplicationClass(application); // else the log names the test runner
        context = spring.run(Stream.concat(
                        Stream.of(
                                "spring.data.redis.host=127.0.0.1",
                                "spring.data.redis.port=" + redis.port(),
                                "distributed-lock.redis.command-timeout=20s", // for busy machines
                                "spring.autoconfigure.exclude=" + peer.others()),
                        Arrays.stream(properties))
                .map("--"::concat)
                .toArray(String[]::new));
    }

    static RunningApplication start(Class<?> application, Peer peer, String... properties) {
        return new RunningApplication(application, peer, properties);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
        redis.close();
    }

    /** Whose auto-configurations stay. */
    enum Peer {
        REDISSON(
                "org.redisson.spring.starter.RedissonAutoConfigurationV2",
                "org.redisson.spring.starter.RedissonAutoConfigurationV4"),
        LOCK4J(
                "com.baomidou.lock.spring.boot.autoconfigure.LockAutoConfiguration",
                "com.baomidou.lock.spring.boot.autoconfigure.RedisTemplateLockAutoConfiguration"),
        WITHOUT_AUTO_CONFIGURATION,
        ALL;

        private final String configurations;

        Peer(String... configurations) {
            this.configurations = String.join(",", configurations);
        }

        private String others() {
            return Arrays.stream(values())
                    .filter(peer -> peer != this && this != ALL)
                    .map(peer -> peer.configurations)
                    .filter(names -> !names.isEmpty())
                    .collect(Collectors.joining(","));
        }
    }
}
