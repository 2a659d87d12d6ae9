package io.github.lockstarter.kit.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class ServerClockIT {

    @BeforeAll
    static void assumeThatThisMachineAllowsIt() {
        assumeThat(RedisServer.canSetClock()).isTrue();
    }

    @Test
    void setsTheClockOfARunningServerAndEndsItsLeases() {
        try (RedisServer server = RedisServer.start()) {
            RedisCommands<String, String> redis = server.commands();
            assertThat(aheadOfUs(redis)).isCloseTo(0, within(2_000L));
            redis.psetex("short", 30_000, "x");
            redis.psetex("long", 90_000, "x");

            server.setClock(Duration.ofMillis(31_500));

            assertThat(aheadOfUs(redis)).isCloseTo(31_500, within(2_000L));
            assertThat(redis.get("short")).isNull();
            assertThat(redis.pttl("long")).isCloseTo(58_500, within(2_000L));

            server.setClock(Duration.ofMillis(-31_500));
            assertThat(aheadOfUs(redis)).isCloseTo(-31_500, within(2_000L));
            server.restart();
            assertThat(aheadOfUs(server.commands())).isCloseTo(-31_500, within(2_000L));
        }
    }

    @Test
    void stopsTheClockOfARunningServer() {
        try (RedisServer server = RedisServer.start()) {
            RedisCommands<String, String> redis = server.commands();
            Instant time = Instant.ofEpochSecond(1_800_000_000, 123_456_000);

            server.freezeClock(time);

            assertThat(redis.time()).isEqualTo(redis.time()).containsExactly("1800000000", "123456");
            redis.psetex("key", 50, "x");
            server.freezeClock(time.plusMillis(50));
            assertThat(redis.pttl("key")).isZero();
            server.freezeClock(time.plusMillis(51));
            assertThat(redis.get("key")).isNull();

            server.setClock(Duration.ZERO);
            assertThat(aheadOfUs(redis)).isCloseTo(0, within(2_000L));
        }
    }

    @Test
    void refusesToSetTheClockOfAStoppedServer() {
        try (RedisServer server = RedisServer.start()) {
            server.kill();

            assertThatThrownBy(() -> server.setClock(Duration.ofSeconds(31)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining("Could not set the clock of redis-server");
        }
    }

    private static long aheadOfUs(RedisCommands<String, String> redis) {
        List<String> time = redis.time();
        long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        return micros / 1000 - System.currentTimeMillis();
    }
}
