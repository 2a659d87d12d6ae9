package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.Listening;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the scripts do with a lock that is kept for the rest of its minimum time. */
class KeptScriptIT {

    private static final String KEPT = "%kept";
    private static final long MINIMUM = 20_000;

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private Scripts scripts;
    private long granted;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
        granted = scripts.acquire("a:1", 30_000).get(1);
    }

    @Test
    void keepsTheLockForTheRest() {
        assertThat(rest(releaseKept(MINIMUM, granted - 5_000_000))).isBetween(10_000L, 15_000L);
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
        assertThat(redis.pttl(KEYS.lock())).isBetween(10_000L, 15_000L);
        assertThat(redis.get(KEYS.lock())).isEqualTo(Scripts.stored(granted, KEPT));
    }

    @Test
    void keepsTheLockAlsoBeyondTheLease() {
        redis.pexpire(KEYS.lock(), 1_000);
        releaseKept(MINIMUM, granted);
        assertThat(redis.pttl(KEYS.lock())).isGreaterThan(10_000);
    }

    @Test
    void freesTheLockOnceTheMinimumTimeIsOver() {
        assertThat(releaseKept(MINIMUM, granted - MINIMUM * 1_000)).isEqualTo(1);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void takesAGrantThatIsLaterThanNowForOneOfNow() {
        assertThat(rest(releaseKept(MINIMUM, granted + 3_600_000_000L))).isEqualTo(MINIMUM);
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(MINIMUM);
    }

    @Test
    void answersTheSameAndTheRestWhenRepeated() {
        releaseKept(MINIMUM, granted);
        redis.scriptFlush();
        assertThat(status(releaseKept(MINIMUM, granted))).isEqualTo(1);
        assertThat(rest(releaseKept(MINIMUM, granted))).isBetween(10_000L, MINIMUM);
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void isNotDoneWhenAnotherGrantIsKept() {
        releaseKept(MINIMUM, granted);
        assertThat(scripts.release("b:1", granted - 1)).isZero();
        assertThat(scripts.release("b:1", 0)).isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void keepsNothingForATokenThatDoesNotHaveTheLock() {
        assertThat(scripts.releaseKept("b:1", granted - 1, "", MINIMUM, granted))
                .isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
    }

    @Test
    void signalsTheInstanceThatWaitsLongest() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            scripts.waitFor("b:1", 5_000, 0);
            assertThat(status(releaseKept(MINIMUM, granted))).isEqualTo(3);
            Awaitility.await().until(() -> b.heard().contains(Scripts.KEY));
        }
    }

    @Test
    void keepsTheLockEvenIfTheQueueIsOfAnotherType() {
        redis.lpush(KEYS.waiters(), "x");
        assertThat(status(scripts.releaseKept("a:1", granted, "5000", MINIMUM, granted)))
                .isEqualTo(2);
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void queuesAnInstanceThatGoesOnWaitingAlsoIfNoneIsSignalled() {
        assertThat(status(scripts.releaseKept("a:1", granted, "5000", MINIMUM, granted)))
                .isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("a");
        assertThat(redis.pttl(KEYS.waiters())).isBetween(1_000L, 5_000L);
    }

    @Test
    void refusesEveryTokenForTheRest() {
        releaseKept(MINIMUM, granted);
        for (String token : List.of("a:1", "a:2", "b:1")) {
            List<Object> refused = scripts.vote(token, 0);
            assertThat(refused).hasSize(6).startsWith(0L).element(4).isEqualTo(KEPT);
            assertThat((long) refused.get(1)).isBetween(10_000L, MINIMUM);
        }
        assertThat(redis.set(KEYS.lock(), "foreign", SetArgs.Builder.nx().px(1_000)))
                .isNull();
    }

    @Test
    void queuesAWaiterAndNotifiesNoOwner() {
        releaseKept(MINIMUM, granted);
        List<Object> refused = scripts.voteAndWait("b:1", 5_000);
        assertThat(refused).hasSize(6).startsWith(0L).element(4).isEqualTo(KEPT);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void grantsTheLockOnceTheRestIsOver() {
        releaseKept(100, granted);
        Awaitility.await().until(() -> redis.exists(KEYS.lock()) == 0);
        assertThat(scripts.acquire("b:1", 30_000).get(1)).isGreaterThan(granted);
    }

    @Test
    void leavesWhatIsKeptWhenAWaitEnds() {
        releaseKept(MINIMUM, granted);
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.withdraw("b:1")).isEqualTo(1);
        assertThat(redis.get(KEYS.lock())).endsWith(" " + KEPT);
    }

    @Test
    void renewsNothingThatIsKept() {
        releaseKept(MINIMUM, granted);
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo("0");
    }

    @Test
    void showsAnOperatorThatTheLockIsKept() {
        releaseKept(MINIMUM, granted);
        List<String> seen = new GuardedScripts(redis).inspect("");
        assertThat(seen).startsWith(KEPT).element(2).isEqualTo(Long.toString(granted));
    }

    @Test
    void freesWhatIsKeptForAnOperator() {
        try (Listening b = Listening.to(REDIS.server(), "b")) {
            releaseKept(MINIMUM, granted);
            scripts.waitFor("b:1", 5_000, 0);
            assertThat(revoke(granted - 1)).isZero();
            assertThat(revoke(granted)).isEqualTo(3);
            Awaitility.await().until(() -> b.heard().contains(Scripts.KEY));
            assertThat(redis.exists(KEYS.lock())).isZero();
        }
    }

    private long revoke(long fencingToken) {
        Long status = redis.eval(
                LockScript.REVOKE.text(), ScriptOutputType.INTEGER, KEYS.lockAndWaiters(), Long.toString(fencingToken));
        return status;
    }

    private long releaseKept(long minimum, long grantedAt) {
        return scripts.releaseKept("a:1", granted, "", minimum, grantedAt);
    }

    private static long rest(long reply) {
        return reply / 4;
    }

    private static long status(long reply) {
        return reply % 4;
    }
}
