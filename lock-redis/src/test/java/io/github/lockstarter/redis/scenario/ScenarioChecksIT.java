package io.github.lockstarter.redis.scenario;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

/** The check for leftovers finds them. */
class ScenarioChecksIT extends RedisScenario {

    @Test
    void theCheckFindsALockThatStays() {
        redis().psetex(lockKey, 60_000, "left behind");

        assertThatThrownBy(this::hasNothingLeft).hasMessageContaining("the lock");
    }

    @Test
    void theCheckFindsAQueueEntryThatStays() {
        redis().zadd(waitersKey, 1, "left behind");

        assertThatThrownBy(this::hasNothingLeft).hasMessageContaining("the waiters");
    }

    @Test
    void theCheckFindsAKeyThatStays() {
        redis().psetex("lock:{another}:waiters", 60_000, "left behind");

        assertThatThrownBy(() -> hasOnlyFencesLeft(server())).hasMessageContaining("{another}");
    }
}
