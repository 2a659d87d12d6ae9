package io.github.lockstarter.redis.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Only by name, since it needs what {@link ShiftedClock} names: {@code -Dit.test=ShiftedClockRun}. */
@Timeout(60)
class ShiftedClockRun {

    @Test
    void setsTheClockOfAServerThatRunsAndEndsItsLeases() {
        try (ShiftedClock clock = ShiftedClock.create();
                RedisServer server = clock.startServer()) {
            RedisCommands<String, String> redis = server.commands();
            assertThat(aheadOfUs(redis)).isCloseTo(0, within(2_000L));
            redis.psetex("short", 30_000, "x");
            redis.psetex("long", 90_000, "x");

            clock.set(Duration.ofSeconds(31));

            assertThat(aheadOfUs(redis)).isCloseTo(31_000, within(2_000L));
            assertThat(redis.get("short")).isNull();
            assertThat(redis.pttl("long")).isCloseTo(59_000, within(2_000L));

            clock.set(Duration.ofSeconds(-31));
            assertThat(aheadOfUs(redis)).isCloseTo(-31_000, within(2_000L));
            server.restart();
            assertThat(aheadOfUs(server.commands())).isCloseTo(-31_000, within(2_000L));
        }
    }

    private static long aheadOfUs(RedisCommands<String, String> redis) {
        List<String> time = redis.time();
        long micros = Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
        return micros / 1000 - System.currentTimeMillis();
    }
}
