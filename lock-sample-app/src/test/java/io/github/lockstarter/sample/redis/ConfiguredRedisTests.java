package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.sample.process.Loopback;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.mock.env.MockEnvironment;

class ConfiguredRedisTests {

    private final MockEnvironment environment = new MockEnvironment();

    @Test
    void isOnTheUsualPortWithoutSettings() {
        assertThat(ConfiguredRedis.in(environment).server()).contains(new ConfiguredRedis.Server("localhost", 6379));
    }

    @Test
    void isWhereHostAndPortSay() {
        environment.setProperty("spring.data.redis.host", "redis.example");
        environment.setProperty("spring.data.redis.port", "6380");

        assertThat(ConfiguredRedis.in(environment))
                .isEqualTo(new ConfiguredRedis(
                        "redis.example:6380", Optional.of(new ConfiguredRedis.Server("redis.example", 6380))));
    }

    @Test
    void isWhereTheUrlSaysAndKeepsItsPasswordSecret() {
        environment.setProperty("spring.data.redis.host", "ignored");
        environment.setProperty("spring.data.redis.url", "rediss://user:secret@redis.example:6390/3");

        assertThat(ConfiguredRedis.in(environment).description()).isEqualTo("redis.example:6390");
    }

    @Test
    void isOnTheUsualPortOfAUrlWithoutOne() {
        environment.setProperty("spring.data.redis.url", "redis://redis.example");

        assertThat(ConfiguredRedis.in(environment).description()).isEqualTo("redis.example:6379");
    }

    @ParameterizedTest
    @ValueSource(strings = {"sentinel", "cluster", "masterreplica"})
    void isNotLookedForWhenItIsSeveralServers(String topology) {
        environment.setProperty("spring.data.redis." + topology + ".nodes", "one:26379,two:26379");

        ConfiguredRedis configured = ConfiguredRedis.in(environment);

        assertThat(configured.isAbsent()).isFalse();
        assertThat(configured.description()).isEqualTo(topology + ".nodes one:26379, two:26379");
    }

    @Test
    void isAbsentOnceNobodyListens() throws IOException {
        ServerSocket listening = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        environment.setProperty("spring.data.redis.host", Loopback.HOST);
        environment.setProperty("spring.data.redis.port", Integer.toString(listening.getLocalPort()));
        ConfiguredRedis configured = ConfiguredRedis.in(environment);

        try (listening) {
            assertThat(configured.isAbsent()).isFalse();
        }
        assertThat(configured.isAbsent()).isTrue();
    }
}
