package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.testing.Effort;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The check for leftovers finds them. */
class ScenarioChecksIT extends RedisScenario {

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsALockThatStays() {
        redis().psetex(lockKey, 60_000, "left behind");

        assertThatThrownBy(this::assertNothingLeft).hasMessageContaining("the lock");
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAQueueEntryThatStays() {
        redis().zadd(waitersKey, 1, "left behind");

        assertThatThrownBy(this::assertNothingLeft).hasMessageContaining("the waiters");
    }

    @Test
    @Tag(Effort.FULL)
    void theCheckFindsAKeyThatStays() {
        redis().psetex("lock:{another}:waiters", 60_000, "left behind");

        assertThatThrownBy(RedisScenario::assertOnlyFencesLeft).hasMessageContaining("{another}");
    }
}
