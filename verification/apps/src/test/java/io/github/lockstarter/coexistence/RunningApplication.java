package io.github.lockstarter.coexistence;

import io.github.lockstarter.kit.redis.RedisServer;
import java.util.Arrays;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.springframework.boot.SpringApplication;
import org.springframework.context.ConfigurableApplicationContext;

/** An application with one of the peers, and the Redis that both libraries use. */
final class RunningApplication implements AutoCloseable {

    private final RedisServer redis;
    private final ConfigurableApplicationContext context;
    private final Runnable afterwards;

    private RunningApplication(
            RedisServer redis, Runnable afterwards, Class<?> application, Peer peer, String... properties) {
        this.redis = redis;
        this.afterwards = afterwards;
        SpringApplication spring = new SpringApplication(application);
        spring.setMainApplicationClass(application); // otherwise the log contains the name of the test runner
        context = spring.run(Stream.concat(
                        Stream.of(
                                "spring.data.redis.host=127.0.0.1",
                                "spring.data.redis.port=" + redis.port(),
                                // For busy machines.
                                "spring.data.redis.timeout=20s",
                                "distributed-lock.redis.command-timeout=20s",
                                "distributed-lock.max-wait=60s",
                                "spring.autoconfigure.exclude=" + peer.others()),
                        Arrays.stream(properties))
                .map("--"::concat)
                .toArray(String[]::new));
    }

    static RunningApplication start(Class<?> application, Peer peer, String... properties) {
        RedisServer redis = RedisServer.start();
        return new RunningApplication(redis, redis::close, application, peer, properties);
    }

    /** Another instance of an application without peers, on the Redis of this one; close it first. */
    RunningApplication startAnother(Class<?> application, String... properties) {
        return new RunningApplication(redis, () -> {}, application, Peer.WITHOUT_AUTO_CONFIGURATION, properties);
    }

    <T> T bean(Class<T> type) {
        return context.getBean(type);
    }

    @Override
    public void close() {
        context.close();
        afterwards.run();
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
