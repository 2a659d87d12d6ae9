package io.github.lockstarter.sample.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.Assumptions.assumeThat;

import io.lettuce.core.RedisClient;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

class MovableClockIT {

    @Test
    void endsAKeyWhenTheClockIsMovedBeyondItsExpiry() {
        assumeThat(MovableClock.available()).isTrue();
        try (EmbeddedRedis redis = EmbeddedRedis.start();
                RedisClient client = RedisClient.create("redis://" + redis.address());
                StatefulRedisConnection<String, String> connection = client.connect()) {
            RedisCommands<String, String> commands = connection.sync();
            MovableClock clock = MovableClock.of(redis);
            long start = System.nanoTime();
            commands.psetex("short", 30_000, "x");
            commands.psetex("long", 90_000, "x");

            clock.set(Duration.ofSeconds(31));

            assertThat(secondsAhead(commands)).isCloseTo(31, within(2L));
            assertThat(commands.get("short")).isNull();
            long remaining = commands.pttl("long");
            long elapsed = Duration.ofNanos(System.nanoTime() - start).toMillis();
            assertThat(remaining).isBetween(59_000 - elapsed - 100, 59_000L);

            clock.set(Duration.ZERO);

            assertThat(secondsAhead(commands)).isCloseTo(0, within(2L));
        }
    }

    @Test
    void refusesToMoveTheClockOfAServerThatHasEnded() {
        assumeThat(MovableClock.available()).isTrue();
        try (EmbeddedRedis redis = EmbeddedRedis.start()) {
            redis.kill();

            assertThatThrownBy(() -> MovableClock.of(redis).set(Duration.ofSeconds(31)))
                    .isInstanceOf(UnsupportedOperationException.class)
                    .hasMessageContaining(redis.address() + " could not be moved");
        }
    }

    private static long secondsAhead(RedisCommands<String, String> commands) {
        return Long.parseLong(commands.time().get(0)) - Instant.now().getEpochSecond();
    }
}
