package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assertions.assertTimeout;

import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Grants of a lock, and the answers to other callers. */
class AcquireScriptIT extends AcquireScriptOnServer {

    @Test
    void grantsAFreeLockWithAFencingTokenFromTheServersClock() {
        long before = serverMicros();
        List<Long> granted = scripts.acquire("a:1", 30_000);
        assertThat(granted.get(0)).isEqualTo(1);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(30_000, within(1_000L));
        assertThat(redis.get(KEYS.fence())).isEqualTo(granted.get(1).toString());
        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted.get(1), "a:1"));
    }

    @Test
    void repeatsTheGrantOfALockTokenAndKeepsItsLease() {
        List<Long> granted = scripts.acquire("a:1", 10_000);
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(granted);
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(10_000);
    }

    @Test
    void refusesAnotherTokenWithTheRemainingLease() {
        scripts.acquire("a:1", 10_000);
        List<Long> contended = scripts.acquire("b:1", 30_000);
        assertThat(contended.get(0)).isZero();
        assertThat(contended.get(1)).isCloseTo(10_000, within(1_000L));
        assertThat(contended.get(2)).isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
        assertThat(redis.exists(KEYS.waiters())).isZero();
    }

    @Test
    void refusesAKeyThatAForeignClientSetMeanwhile() {
        redis.set(KEYS.lock(), "somebody", SetArgs.Builder.nx().px(5_000));
        assertThat(scripts.acquire("a:1", 30_000).get(0)).isZero();
    }

    @Test
    void keepsForeignOwnersOut() {
        scripts.acquire("a:1", 30_000);
        assertThat(redis.set(KEYS.lock(), "somebody", SetArgs.Builder.nx().px(5_000)))
                .isNull();
    }

    @Test
    void reportsAnOwnerWithoutALease() {
        redis.set(KEYS.lock(), "somebody");
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(List.of(0L, -1L, 0L));
    }

    /** The server executes nothing else meanwhile. */
    @Test
    void readsAForeignOwnerOfManyDigitsQuickly() {
        redis.set(KEYS.lock(), "1".repeat(100_000));
        assertTimeout(Duration.ofSeconds(1), () -> scripts.acquire("a:1", 30_000));
    }

    @Test
    void returnsASingleNumberUnlessOthersWait() {
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.isAnsweredByANumber("a:1")).isFalse();
    }

    @Test
    void readsTheQueueOnlyWhenTheCallerNeedsIt() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("c:1", 30_000).get(2)).isZero();
        redis.del(KEYS.lock());
        assertThat(scripts.waitFor("c:1", 5_000, 0).get(2)).isZero();
        assertThat(scripts.waitFor("c:1", 5_000, 1).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void removesAnOwnerThatRepeatsItsAttemptFromTheQueue() {
        scripts.waitFor("a:1", 5_000, 0);
        long position = scripts.waitFor("a:2", 5_000, 0).get(2);
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.waitFor("a:1", 5_000, position).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }
}
