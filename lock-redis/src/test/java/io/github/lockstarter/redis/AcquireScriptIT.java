package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.lettuce.core.SetArgs;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Grants of a lock, and the answers to other callers. */
class AcquireScriptIT extends ScriptsOnServer {

    @Test
    void grantsAFreeLockWithAFencingTokenFromTheServersClock() {
        long before = serverMicros();
        List<Long> granted = scripts.acquire("a:1", 300_000);
        assertThat(granted.get(0)).isEqualTo(1);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(300_000, within(10_000L));
        assertThat(redis.get(KEYS.fence())).isEqualTo(granted.get(1).toString());
        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted.get(1), "a:1"));
    }

    @Test
    void reportsAnOwnerWithoutALease() {
        redis.set(KEYS.lock(), "somebody");
        assertThat(scripts.acquire("a:1", 300_000)).isEqualTo(List.of(0L, -1L, 0L));
    }

    /** The server executes nothing else meanwhile. Where it takes long, the command times out. */
    @Test
    void readsAForeignOwnerOfManyDigitsQuickly() {
        redis.set(KEYS.lock(), "1".repeat(300_000));
        assertThat(scripts.acquire("a:1", 300_000).get(0)).isZero();
    }

    @Test
    void returnsASingleNumberUnlessOthersWait() {
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        scripts.waitFor("b:1", 50_000, 0);
        assertThat(scripts.isAnsweredByANumber("a:1")).isFalse();
    }

    @Test
    void readsTheQueueOnlyWhenTheCallerNeedsIt() {
        scripts.acquire("a:1", 300_000);
        scripts.waitFor("b:1", 50_000, 0);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("c:1", 300_000).get(2)).isZero();
        redis.del(KEYS.lock());
        assertThat(scripts.waitFor("c:1", 50_000, 0).get(2)).isZero();
        assertThat(scripts.waitFor("c:1", 50_000, 1).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void removesAnOwnerThatRepeatsItsAttemptFromTheQueue() {
        scripts.waitFor("a:1", 50_000, 0);
        long position = scripts.waitFor("a:2", 50_000, 0).get(2);
        scripts.waitFor("b:1", 50_000, 0);
        assertThat(scripts.waitFor("a:1", 50_000, position).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    /** Requirements of a quorum: raised tokens and the time. */
    @Nested
    class OfAVote {

        @Test
        void raisesToANumberFarBeyondTheCounterAndTheClock() {
            redis.set(KEYS.lock(), Scripts.stored(1000, "a:1"), SetArgs.Builder.px(300_000));
            String counter = Long.toString(serverMicros() + HOUR_MICROS);
            redis.set(KEYS.fence(), counter);

            assertThat(scripts.acquire("a:1", 300_000, 1000).get(1)).isEqualTo(1001);

            assertThat(redis.get(KEYS.fence())).isEqualTo(counter);
        }

        /** The tokens that were granted before it was lost were no greater than the time. */
        @Test
        void setsALostCounterToTheTimeWhenItRaises() {
            redis.set(KEYS.lock(), Scripts.stored(1000, "a:1"), SetArgs.Builder.px(300_000));
            long before = serverMicros();

            assertThat(scripts.acquire("a:1", 300_000, 1000).get(1)).isEqualTo(1001);

            assertThat(Long.parseLong(redis.get(KEYS.fence()))).isBetween(before, serverMicros());
        }

        @Test
        void returnsTheTimeForAVote() {
            long before = serverMicros();
            List<Object> granted = scripts.vote("a:1", 0);
            assertThat(granted).hasSize(7).startsWith(1L).element(3).isEqualTo("");
            assertThat((long) granted.get(6)).isBetween(before, serverMicros()).isEqualTo(granted.get(1));
            assertThat(scripts.vote("a:1", 0)).hasSize(7).startsWith(1L, granted.get(1), 0L, "");
            List<Object> contended = scripts.vote("b:1", 0);
            assertThat(contended).hasSize(7).startsWith(0L).element(2).isEqualTo(0L);
            assertThat((long) contended.get(6)).isBetween(before, serverMicros());
            assertThat(redis.exists(KEYS.waiters())).isZero();
        }

        @Test
        void queuesTheInstanceOfAVoteAndNotifiesTheOwner() {
            try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
                scripts.acquire(OWNER + ":1", 300_000);

                List<Object> queued = scripts.voteAndWait("b:1", 50_000);

                assertThat(queued).hasSize(7).startsWith(0L);
                assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) (long) queued.get(2));
                assertThat(receivedUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
            }
        }
    }
}
