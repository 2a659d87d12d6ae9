package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class ReleaseScriptIT extends ScriptsOnServer {

    private static final long FREE = -1;

    @Test
    void treatsAKeyOfAnotherTypeAsALockOfAnotherOwner() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.release("a:1", 7)).isZero();
        assertThat(redis.exists(KEYS.lock())).isEqualTo(1);
    }

    @Test
    void skipsInstancesThatAreGone() {
        try (Listening c = Listening.to(REDIS.server(), "c")) {
            scripts.acquire("a:1", 300_000);
            for (int i = 0; i < 15; i++) {
                scripts.waitFor("dead" + i + ":1", 50_000, 0);
            }
            scripts.waitFor("c:1", 50_000, 0);
            scripts.release("a:1", 0);
            Awaitility.await().until(() -> c.received().contains(Scripts.KEY));
            assertThat(redis.exists(KEYS.waiters())).isZero();
        }
    }

    @Test
    void stopsSearchingForALiveInstanceAfterSixteenDeadOnes() {
        scripts.acquire("a:1", 300_000);
        for (int i = 0; i < 20; i++) {
            scripts.waitFor("dead" + i + ":1", 50_000, 0);
        }
        assertThat(scripts.release("a:1", 0)).isEqualTo(1);
        assertThat(redis.zcard(KEYS.waiters())).isEqualTo(4);
    }

    @Test
    void assumesThatAnInstanceIsAliveWhenListenersCannotBeCounted() {
        scripts.acquire("a:1", 300_000);
        scripts.waitFor("elsewhere:1", 50_000, 0);
        scripts.waitFor("next:1", 50_000, 0);
        assertThat(scripts.releaseUncounted("a:1")).isEqualTo(3);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("next");
    }

    @Test
    void signalsTheKeyWhenListenersCannotBeCounted() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            scripts.releaseUncounted("a:1");
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
        }
    }

    @Test
    void queuesAReleasingInstanceThatStillWaitsAfterTheOnlyOther() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            assertThat(scripts.releaseAndQueue("a:1", 20_000)).isEqualTo(3);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("a");
            assertThat(redis.pttl(KEYS.waiters())).isCloseTo(20_000, within(10_000L));
        }
    }

    @Test
    void keepsTheQueueForTheLongestWait() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 600_000, 0);
            scripts.waitFor("c:1", 600_000, 0);
            scripts.releaseAndQueue("a:1", 20_000);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.pttl(KEYS.waiters())).isCloseTo(600_000, within(10_000L));
        }
    }

    @Test
    void queuesNobodyWhenTheOtherInstancesAreGone() {
        scripts.acquire("a:1", 300_000);
        scripts.waitFor("dead:1", 50_000, 0);
        assertThat(scripts.releaseAndQueue("a:1", 50_000)).isEqualTo(1);
        assertThat(redis.exists(KEYS.lock(), KEYS.waiters())).isZero();
    }

    @Test
    void keepsNoPlaceForAnInstanceThatMayTryAtOnce() {
        try (Listening a = Listening.to(REDIS.server(), "a")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("a:2", 50_000, 0);
            assertThat(scripts.releaseAndQueue("a:1", 50_000)).isEqualTo(1);
            assertThat(redis.exists(KEYS.waiters())).isZero();
            assertThat(a.received()).isEmpty();
        }
    }

    @Test
    void signalsTheReleasingInstanceWhenItsOwnPlaceIsTheFirst() {
        try (Listening a = Listening.to(REDIS.server(), "a")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("a:2", 50_000, 0);
            assertThat(scripts.release("a:1", 0)).isEqualTo(3);
            Awaitility.await().until(() -> a.received().contains(Scripts.KEY));
        }
    }

    @Test
    void queuesOnceWhenRepeatedAfterAScriptFlush() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            scripts.releaseAndQueue("a:1", 50_000);
            redis.scriptFlush();
            assertThat(scripts.releaseAndQueue("a:1", 50_000)).isEqualTo(FREE);
            Awaitility.await().until(() -> b.received().contains(Scripts.KEY));
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("a");
        }
    }

    @Test
    void freesTheLockOfAnInstanceThatStillWaitsEvenIfTheQueueIsOfAnotherType() {
        scripts.acquire("a:1", 300_000);
        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.releaseAndQueue("a:1", 50_000)).isEqualTo(2);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void freesTheLockEvenIfTheQueueIsOfAnotherType() {
        scripts.acquire("a:1", 300_000);
        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.release("a:1", 0)).isEqualTo(2);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    /** The same script ends a wait. */
    @Nested
    class EndOfAWait {

        @Test
        void assumesThatAnInstanceIsAliveWhenListenersCannotBeCounted() {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("elsewhere:1", 50_000, 0);
            scripts.waitFor("next:1", 50_000, 0);
            assertThat(scripts.withdrawUncounted("a:1")).isEqualTo(3);
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("next");
        }

        @Test
        void signalsNobodyWhileTheLockIsHeld() {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("c:1", 50_000, 0);
            scripts.withdraw("b:1");
            assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("c");
        }

        @Test
        void canBeRepeated() {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            assertThat(scripts.withdraw("b:1")).isEqualTo(1);
            assertThat(scripts.withdraw("b:1")).isEqualTo(1);
        }

        /** An instance that is said to be withdrawn, and is not, would get the next signal. */
        @Test
        void failsOnAServerThatRefusesWrites() {
            scripts.acquire("a:1", 300_000);
            scripts.waitFor("b:1", 50_000, 0);
            redis.configSet("min-replicas-to-write", "1");
            try {
                assertThatThrownBy(() -> scripts.withdraw("b:1")).hasMessageContaining("NOREPLICAS");
            } finally {
                redis.configSet("min-replicas-to-write", "0");
            }
            assertThat(scripts.withdraw("b:1")).isEqualTo(1);
        }

        @Test
        void succeedsWithKeysOfOtherTypes() {
            redis.lpush(KEYS.lock(), "x");
            redis.lpush(KEYS.waiters(), "x");
            assertThat(scripts.withdraw("b:1")).isEqualTo(1);
            redis.del(KEYS.lock());
            assertThat(scripts.withdraw("b:1")).isEqualTo(2);
        }
    }
}
