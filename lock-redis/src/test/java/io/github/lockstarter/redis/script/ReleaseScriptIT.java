package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.Listening;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class ReleaseScriptIT {

    private static final long FREE = -1;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private Scripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
    }

    @Test
    void treatsAKeyOfAnotherTypeAsALockOfAnotherOwner() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.release("a:1", 7)).isZero();
        assertThat(redis.exists(KEYS.lock())).isEqualTo(1);
    }

    @Test
    void skipsInstancesThatAreGone() {
        try (Listening c = Listening.to(REDIS.server(), "c")) {
            scripts.acquire("a:1", 30_000);
            for (int i = 0; i < 15; i++) {
                scripts.waitFor("dead" + i + ":1", 5_000, 0);
            }
            scripts.waitFor("c:1", 5_000, 0);
            scripts.release("a:1", 0);
            Awaitility.await().until(() -> c.received().contains(Scripts.KEY));
            assertThat(redis.exists(KEYS.waiters())).isZero();
        }
    }

    @Test
    void stopsSearchingForALiveInstanceAfterSixteenDeadOnes() {
        scripts.acquire("a:1", 30_000);
        for (int i = 0; i < 20; i++) {
            scripts.waitFor("dead" + i + ":1", 5_000, 0);
        }
        assertThat(scripts.release("a:1", 0)).isEqualTo(1);
        assertThat(redis.zcard(KEYS.waiters())).isEqualTo(4);
    }

    @Test
    void assumesThatAnInstanceIsAliveWhenListenersCannotBeCounted() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("elsewhere:1", 5_000, 0);
        scripts.waitFor("next:1", 5_000, 0);
        assertThat(scripts.releaseUncounted("a:1")).isEqualTo(3);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("next");
    }

    @Test
    void signalsTheKeyWhenListenersCannotBeCounted() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("b:1", 5_000, 0);
            scripts.releaseUncounted("a:1");
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
        }
    }

    @Test
    void queuesAReleasingInstanceThatStillWaitsAfterTheOnlyOther() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("b:1", 5_000, 0);
            assertThat(scripts.releaseAndQueue("a:1", 2_000)).isEqualTo(3);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("a");
            assertThat(redis.pttl(KEYS.waiters())).isCloseTo(2_000, within(1_000L));
        }
    }

    @Test
    void keepsTheQueueForTheLongestWait() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("b:1", 60_000, 0);
            scripts.waitFor("c:1", 60_000, 0);
            scripts.releaseAndQueue("a:1", 2_000);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.pttl(KEYS.waiters())).isCloseTo(60_000, within(1_000L));
        }
    }

    @Test
    void queuesNobodyWhenTheOtherInstancesAreGone() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("dead:1", 5_000, 0);
        assertThat(scripts.releaseAndQueue("a:1", 5_000)).isEqualTo(1);
        assertThat(redis.exists(KEYS.lock(), KEYS.waiters())).isZero();
    }

    @Test
    void keepsNoPlaceForAnInstanceThatMayTryAtOnce() {
        try (Listening a = Listening.to(REDIS.server(), "a")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("a:2", 5_000, 0);
            assertThat(scripts.releaseAndQueue("a:1", 5_000)).isEqualTo(1);
            assertThat(redis.exists(KEYS.waiters())).isZero();
            assertThat(a.received()).isEmpty();
        }
    }

    @Test
    void signalsTheReleasingInstanceWhenItsOwnPlaceIsTheFirst() {
        try (Listening a = Listening.to(REDIS.server(), "a")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("a:2", 5_000, 0);
            assertThat(scripts.release("a:1", 0)).isEqualTo(3);
            Awaitility.await().until(() -> a.received().contains(Scripts.KEY));
        }
    }

    @Test
    void queuesOnceWhenRepeatedAfterAScriptFlush() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 30_000);
            scripts.waitFor("b:1", 5_000, 0);
            scripts.releaseAndQueue("a:1", 5_000);
            redis.scriptFlush();
            assertThat(scripts.releaseAndQueue("a:1", 5_000)).isEqualTo(FREE);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("a");
        }
    }

    @Test
    void freesTheLockOfAnInstanceThatStillWaitsEvenIfTheQueueIsOfAnotherType() {
        scripts.acquire("a:1", 30_000);
        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.releaseAndQueue("a:1", 5_000)).isEqualTo(2);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void freesTheLockEvenIfTheQueueIsOfAnotherType() {
        scripts.acquire("a:1", 30_000);
        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.release("a:1", 0)).isEqualTo(2);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }
}
