package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Scripts for a lock that is kept for the rest of its minimum hold. */
class MinimumHoldScriptIT {

    private static final String KEPT = "%kept";
    private static final long MINIMUM = 200_000;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private Scripts scripts;
    private long granted;
    private long micros;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
        List<Object> reply = scripts.vote("a:1", 0);
        granted = (long) reply.get(1);
        micros = (long) reply.get(6);
    }

    @Test
    void storesTheTimeOfTheGrantWithTheLock() {
        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted, micros, "a:1"));
    }

    @Test
    void keepsTheTimeOfTheGrantWhenTheAttemptIsRepeated() {
        scripts.vote("a:1", 0);

        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted, micros, "a:1"));
    }

    @Test
    void keepsTheTimeOfTheGrantWhenFencingTokensAreRaised() {
        scripts.acquire("a:1", 300_000, granted);

        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted + 1, micros, "a:1"));
    }

    @Test
    void keepsTheLockBeyondTheLease() {
        redis.pexpire(KEYS.lock(), 10_000);
        releaseKept(MINIMUM);
        assertThat(redis.pttl(KEYS.lock())).isGreaterThan(100_000);
    }

    @Test
    void treatsAGrantInTheFutureAsAGrantOfNow() {
        grantedAt(micros + 3_600_000_000L);
        assertThat(rest(releaseKept(MINIMUM))).isEqualTo(MINIMUM);
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(MINIMUM);
    }

    /** The server's note lets a token be 20 ms behind the clock. A minimum hold must not end too early. */
    @Test
    void countsFromTheFencingTokenPlusTwentyMillisecondsWithoutAStoredTime() {
        long fencingToken = micros - 50_000_000;
        redis.set(KEYS.lock(), Scripts.stored(fencingToken, "a:1"), SetArgs.Builder.keepttl());

        assertThat(rest(scripts.releaseKept("a:1", fencingToken, "", MINIMUM))).isBetween(100_000L, 150_020L);

        redis.set(KEYS.lock(), Scripts.stored(micros, "a:1"), SetArgs.Builder.px(300_000));
        assertThat(rest(scripts.releaseKept("a:1", micros + 60_000_000, "", MINIMUM)))
                .isEqualTo(MINIMUM);
    }

    @Test
    void aReleaseDoesNotMatchAnotherKeptGrant() {
        releaseKept(MINIMUM);
        assertThat(scripts.release("b:1", granted - 1)).isZero();
        assertThat(scripts.release("b:1", 0)).isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void renewsShowsAndRevokesALockWithTheTimeOfItsGrant() {
        assertThat(scripts.renew("a:1", 600_000)).isEqualTo("1");
        assertThat(redis.pttl(KEYS.lock())).isGreaterThan(500_000);
        assertThat(inspect()).startsWith("a").element(2).isEqualTo(granted);
        assertThat(revoke(Scripts.stored(granted, micros - 1, "a:1"))).isEqualTo(0);
        assertThat(revoke((String) inspect().get(6))).isEqualTo(1);
    }

    @Test
    void keepsTheLockEvenIfTheQueueIsOfAnotherType() {
        redis.lpush(KEYS.waiters(), "x");
        assertThat(status(scripts.releaseKept("a:1", granted, "50000", MINIMUM)))
                .isEqualTo(2);
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void queuesAWaiterAndNotifiesNoOwner() {
        releaseKept(MINIMUM);
        List<Object> refused = scripts.voteAndWait("b:1", 50_000);
        assertThat(refused).hasSize(7).startsWith(0L).element(4).isEqualTo(KEPT);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    private long revoke(String stored) {
        Long status = redis.eval(
                LockScript.RELEASE.text(),
                ScriptOutputType.INTEGER,
                Scripts.LOCK_AND_WAITERS,
                stored,
                "",
                "",
                "revoked");
        return status;
    }

    private List<Object> inspect() {
        return new GuardedScripts(redis).inspect("");
    }

    /** As if the grant had another time. */
    private void grantedAt(long time) {
        redis.set(KEYS.lock(), Scripts.stored(granted, time, "a:1"), SetArgs.Builder.keepttl());
    }

    private long releaseKept(long minimum) {
        return scripts.releaseKept("a:1", granted, "", minimum);
    }

    private static long rest(long reply) {
        return reply / 4;
    }

    private static long status(long reply) {
        return reply % 4;
    }
}
