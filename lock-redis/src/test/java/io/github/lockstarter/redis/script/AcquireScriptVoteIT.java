package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.Listening;
import io.lettuce.core.SetArgs;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Requirements of a quorum: raised tokens and the time. */
class AcquireScriptVoteIT extends AcquireScriptOnServer {

    @Test
    void raisesToANumberFarBeyondTheCounterAndTheClock() {
        redis.set(KEYS.lock(), Scripts.stored(1000, "a:1"), SetArgs.Builder.px(30_000));
        String counter = Long.toString(serverMicros() + HOUR_MICROS);
        redis.set(KEYS.fence(), counter);

        assertThat(scripts.acquire("a:1", 30_000, 1000).get(1)).isEqualTo(1001);

        assertThat(redis.get(KEYS.fence())).isEqualTo(counter);
    }

    /** The tokens that were granted before it was lost were no greater than the time. */
    @Test
    void setsALostCounterToTheTimeWhenItRaises() {
        redis.set(KEYS.lock(), Scripts.stored(1000, "a:1"), SetArgs.Builder.px(30_000));
        long before = serverMicros();

        assertThat(scripts.acquire("a:1", 30_000, 1000).get(1)).isEqualTo(1001);

        assertThat(Long.parseLong(redis.get(KEYS.fence()))).isBetween(before, serverMicros());
    }

    @Test
    void returnsTheTimeForARedlockVote() {
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
    void queuesTheInstanceOfARedlockVoteAndNotifiesTheOwner() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);

            List<Object> queued = scripts.voteAndWait("b:1", 5_000);

            assertThat(queued).hasSize(7).startsWith(0L);
            assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) (long) queued.get(2));
            assertThat(receivedUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
        }
    }
}
