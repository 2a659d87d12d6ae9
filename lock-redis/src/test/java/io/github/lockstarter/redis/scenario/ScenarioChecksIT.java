package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The check that nothing stays behind sees what does. */
class ScenarioChecksIT extends RedisScenario {

    @Test
    void seesALockThatStays() {
        redis().psetex(lockKey, 60_000, "left behind");

        assertThatThrownBy(this::assertNothingLeft).hasMessageContaining("the lock");
    }

    @Test
    void seesAQueueEntryThatStays() {
        redis().zadd(waitersKey, 1, "left behind");

        assertThatThrownBy(this::assertNothingLeft).hasMessageContaining("the waiters");
    }

    @Test
    void seesAKeyThatStays() {
        redis().psetex("lock:{another}:waiters", 60_000, "left behind");

        assertThatThrownBy(RedisScenario::assertOnlyFencesLeft).hasMessageContaining("{another}");
    }
}
