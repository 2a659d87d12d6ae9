package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static io.github.lockstarter.redis.script.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.redis.Listening;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.codec.Base16;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mark of an owner that is not heard, and the take-over, in each script that meets it. */
class CrashTakeOverScriptIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String CRASHED = "0123456789abcdef0123456789abcdef";
    private static final long TAKE_OVER = 300;
    private static final String OWNER = CRASHED + ":1|1700000000123 http-1|" + TAKE_OVER;
    private static final String LABEL = "01234567|1700000000123 http-1|" + TAKE_OVER;
    private static final String RIVAL = "fedcba9876543210fedcba9876543210:1";

    /** In microseconds: longer than the take-over time. */
    private static final long LONG = 2 * TAKE_OVER * 1_000;

    private static final long MOST_OF_ONE_LOOK = TAKE_OVER * 1_000 * 3 / 5;
    private static final String GUARDED = "";
    private static final long GRANTED = 1;
    private static final long CONTENDED = 0;
    private static final long RECOVERING = 2;

    private RedisCommands<String, String> redis;
    private GuardedScripts scripts;
    private Scripts unguarded;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new GuardedScripts(redis);
        unguarded = new Scripts(redis);
        scripts.acquire(OWNER, GUARDED);
    }

    @Test
    void marksTheLockOfAnOwnerThatIsNotHeard() {
        redis.pexpire(KEYS.lock(), 20_000);
        List<Object> answer = scripts.acquire(RIVAL, GUARDED);

        assertThat(answer.get(0)).isEqualTo(CONTENDED);
        assertThat(answer.get(4)).isEqualTo(LABEL);
        assertThat(redis.get(KEYS.lock())).matches("\\d{16} \\Q" + OWNER + "\\E\\|\\d{16}\\+0");
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(20_000, within(1_000L));
    }

    @Test
    void addsTheTimeSinceTheLastLook() {
        mark(serverMicros() - 100_000, 50_000);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(unheard()).isBetween(150_000L, 50_000 + MOST_OF_ONE_LOOK);
    }

    /** A server that stood still between two looks has heard nobody, so the time says nothing of the owner. */
    @Test
    void addsNoMoreForOneLookThanWaitersLeaveBetweenTwo() {
        mark(serverMicros() - 10 * LONG, 0);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
        assertThat(unheard()).isEqualTo(MOST_OF_ONE_LOOK);
    }

    @Test
    void addsNothingOnAClockThatWasSetBack() {
        mark(serverMicros() + LONG, 1_000);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(unheard()).isEqualTo(1_000);
    }

    @Test
    void takesTheLockOverOnceTheMarkIsOldEnough() {
        long before = fencingToken();
        scripts.acquire(RIVAL, GUARDED);
        List<Object> answer = takeOver();

        assertThat(answer.get(0)).isEqualTo(GRANTED);
        assertThat((Long) answer.get(1)).isGreaterThan(before);
        assertThat(answer.get(4)).isEqualTo(LABEL);
        assertThat(redis.get(KEYS.lock())).endsWith(' ' + RIVAL);
    }

    /** A replica that was promoted is not told from its master then, and may not hear whom the master hears. */
    @Test
    void neitherMarksNorTakesOverForAUserWhoMayNotSeeWhichHistoryThisIs() {
        mark(serverMicros() - LONG, LONG);
        String marked = redis.get(KEYS.lock());
        REDIS.server().grantDefaultUser("-info");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            assertThat(forbidden.acquire(RIVAL, scripts.marker()).get(0)).isEqualTo(CONTENDED);
        }
        assertThat(redis.get(KEYS.lock())).isEqualTo(marked);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
    }

    @Test
    void takesNothingOverBeforeTheTakeOverTime() {
        mark(serverMicros(), (TAKE_OVER - 100) * 1_000);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
    }

    @Test
    void leavesTheLockOfAnOwnerThatIsHeardWhateverItsMarkSays() throws Exception {
        mark(1, LONG);
        try (Listening heard = Listening.to(REDIS.server(), CRASHED)) {
            assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
            assertThat(heard.heard()).as("it is told neither").isEmpty();
        }
        await().until(() -> redis.pubsubNumsub("lock:mailbox:" + CRASHED).containsValue(0L));
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                CRASHED + ":1",
                CRASHED + ":1|1700000000123 http-1",
                "%kept",
                "foreign",
                "foreign|x|300",
                CRASHED + ":1|1700000000123 http-1|x",
                CRASHED + "|1700000000123 http-1|300"
            })
    void neitherMarksNorTakesWhatHasNoTakeOverTime(String token) {
        redis.set(KEYS.lock(), stored(token));
        scripts.acquire(RIVAL, GUARDED);
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(token));
    }

    @Test
    void neitherMarksNorTakesWithoutTheGuard() {
        String before = redis.get(KEYS.lock());
        unguarded.acquire(RIVAL, 30_000);
        assertThat(redis.get(KEYS.lock())).isEqualTo(before);

        mark(1, LONG);
        assertThat(unguarded.acquire(RIVAL, 30_000).get(0)).isEqualTo(CONTENDED);
    }

    @Test
    void neitherMarksNorTakesWhileTheHistoryIsYoung() {
        String before = redis.get(KEYS.lock());
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(CONTENDED);
        assertThat(redis.get(KEYS.lock())).isEqualTo(before);

        mark(1, LONG);
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(CONTENDED);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(RECOVERING);
    }

    @Test
    void removesTheMarkWithARenewal() {
        String before = redis.get(KEYS.lock());
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.renew(OWNER, GUARDED).get(0)).isEqualTo("1");
        assertThat(redis.get(KEYS.lock())).isEqualTo(before);
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(30_000, within(1_000L));
    }

    @Test
    void removesTheMarkWithAReclaim() {
        String before = redis.get(KEYS.lock());
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.reclaim(OWNER, GUARDED, fencingToken()).get(0)).isEqualTo("1");
        assertThat(redis.get(KEYS.lock())).isEqualTo(before);
    }

    @Test
    void grantsAMarkedLockToItsOwnTokenAgain() {
        long first = fencingToken();
        mark(1, LONG);
        assertThat(scripts.acquire(OWNER, GUARDED)).contains(first);
    }

    @Test
    void releasesAndWithdrawsAMarkedLock() {
        mark(1, LONG);
        assertThat(unguarded.release(OWNER, 0)).isEqualTo(1);
        assertThat(redis.exists(KEYS.lock())).isZero();

        scripts.acquire(OWNER, GUARDED);
        mark(1, LONG);
        unguarded.withdraw(OWNER);
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void tellsAReleaseThatAnotherOwnerHasTakenTheLockOver() {
        mark(1, LONG);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(unguarded.release(OWNER, 0)).isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(' ' + RIVAL);
    }

    @Test
    void showsHowLongTheOwnerIsInDoubt() {
        mark(serverMicros() - 4_000_000, 1_000_000);
        List<String> texts = redis.eval(LockScript.INSPECT.text(), ScriptOutputType.MULTI, KEYS.lockAndWaiters());
        assertThat(texts.get(0)).startsWith(LABEL + '|');
        assertThat(Long.parseLong(texts.get(6))).isBetween(5_000L, 10_000L);
    }

    @Test
    void tellsTheOwnerOfAMarkedLockThatItWasRevoked() throws Exception {
        mark(1, LONG);
        try (Listening heard = Listening.to(REDIS.server(), CRASHED)) {
            Long status = redis.eval(
                    LockScript.REVOKE.text(),
                    ScriptOutputType.INTEGER,
                    KEYS.lockAndWaiters(),
                    Long.toString(fencingToken()));
            assertThat(status).isEqualTo(1);
            await().untilAsserted(() -> assertThat(heard.heard())
                    .singleElement()
                    .asString()
                    .isEqualTo("%~" + Base16.digest(OWNER.getBytes(StandardCharsets.UTF_8)) + ":" + Scripts.KEY));
        }
    }

    private List<Object> takeOver() {
        return await().pollInterval(Duration.ofMillis(20))
                .until(() -> scripts.acquire(RIVAL, GUARDED), answer -> !answer.get(0)
                        .equals(CONTENDED));
    }

    private void mark(long lastLook, long unheard) {
        redis.set(KEYS.lock(), redis.get(KEYS.lock()) + '|' + lastLook + '+' + unheard, SetArgs.Builder.keepttl());
    }

    private long unheard() {
        String stored = redis.get(KEYS.lock());
        return Long.parseLong(stored.substring(stored.indexOf('+') + 1));
    }

    private long fencingToken() {
        return Long.parseLong(redis.get(KEYS.lock()).substring(0, 16));
    }

    private long serverMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
