package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.GuardedScripts.GRACE;
import static io.github.lockstarter.redis.GuardedScripts.HISTORY;
import static io.github.lockstarter.redis.GuardedScripts.QUIET;
import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.GuardedScripts.Hold;
import io.github.lockstarter.redis.failure.ServerError;
import io.lettuce.core.RedisClient;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Results of acquire and renew at every age of the history. */
class HistoryGuardScriptIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private RedisCommands<String, String> redis;
    private GuardedScripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new GuardedScripts(redis);
    }

    @Test
    void grantsAtOnceOnTheFirstUse() {
        String first = scripts.mark(scripts.replid(), 0, "first");
        assertThat(scripts.acquire("a:1", first)).hasSize(1);
        assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
    }

    @Test
    void doesNotGrantAFreeLockWithinTheGracePeriod() {
        String grace = scripts.grace(GRACE - 200_000);
        assertThat(scripts.acquire("a:1", grace))
                .hasSize(3)
                .startsWith(2L)
                .endsWith(0L)
                .element(1, InstanceOfAssertFactories.LONG)
                .isBetween(150_000L, 200_000L);
        assertThat(redis.exists(KEYS.lock(), KEYS.fence(), KEYS.waiters())).isZero();
    }

    @Test
    void grantsAfterTheGracePeriod() {
        String grace = scripts.grace(GRACE);
        assertThat(scripts.acquire("a:1", grace)).hasSize(1);
        assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
    }

    @Test
    void neverReturnsARetryDelayOfZero() {
        String grace = scripts.mark(scripts.replid(), GRACE - 1, "grace");
        List<Object> reply = scripts.acquire("a:1", grace);
        // The last millisecond may be over before the script runs.
        assertThat(reply.size() == 1 || (long) reply.get(1) == 1).isTrue();
    }

    @Test
    void repeatsTheGrantOfALockTokenAtAnyAgeOfTheHistory() {
        String first = scripts.mark(scripts.replid(), 0, "first");
        Object fencingToken = scripts.acquire("a:1", first).get(0);
        String grace = scripts.grace(0);
        assertThat(scripts.acquire("a:1", grace)).containsExactly(fencingToken);
        assertThat(redis.get(KEYS.fence())).isEqualTo(fencingToken.toString());
    }

    @Test
    void repeatsTheGrantOfManyFencingTokens() {
        String first = scripts.mark(scripts.replid(), 0, "first");
        List<Object> granted = scripts.acquireMany("a:1", first);
        String grace = scripts.grace(0);
        assertThat(scripts.acquireMany("a:1", grace)).isEqualTo(granted);
    }

    @Test
    void namesTheHolderAtAnyAgeOfTheHistory() {
        redis.psetex(KEYS.lock(), 50_000, stored("b:1"));
        String grace = scripts.grace(0);
        assertThat(scripts.acquire("a:1", grace)).hasSize(3).startsWith(0L);
    }

    @Test
    void defersRenewalsInTheQuietPeriod() {
        String grace = scripts.grace(QUIET - 50_000);
        redis.psetex(KEYS.lock(), 50_000, stored("a:1"));
        assertThat(scripts.renew("a:1", grace))
                .startsWith("d", "", "")
                .element(3, InstanceOfAssertFactories.LONG)
                .isBetween(10_000L, 50_000L);
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(50_000);

        redis.del(KEYS.lock());
        assertThat(scripts.renew("a:1", grace)).startsWith("d");
        assertThat(redis.exists(KEYS.lock(), KEYS.fence())).isZero();
    }

    /** As a client without heartbeats sends it now and then. */
    @Test
    void aRenewalOfNoLockBeginsAHistoryAndAnswersTheGrace() {
        assertThat(scripts.renew("x:1:grace"))
                .startsWith("", "", scripts.marker())
                .element(3, LONG)
                .isEqualTo(GRACE);
        assertThat(scripts.marker()).startsWith(scripts.replid()).endsWith(":grace");
        assertThat(redis.keys("*")).containsExactly(HISTORY);

        String young = scripts.grace(QUIET - 50_000);
        assertThat(scripts.renew(young))
                .startsWith("", "", "")
                .element(3, LONG)
                .isBetween(GRACE - QUIET, GRACE - QUIET + 50_000);
        assertThat(scripts.renew(scripts.grace(GRACE))).containsExactly("", "", "", 0L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "set", "time"})
    void aRenewalOfNoLockReportsTheCommandThatTheServerRefused(String command) {
        String other = scripts.mark("f".repeat(40), QUIET, "grace");
        REDIS.server().grantDefaultUser("-" + command);
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            List<Object> reply = new GuardedScripts(client.connect().sync()).renew(other);
            assertThat(reply).startsWith("").element(2).isEqualTo("");
            assertThat(ServerError.of((String) reply.get(1)).isMissingRight()).isTrue();
        }
    }

    @Test
    void renewsAStoredLockWithinTheGracePeriod() {
        String grace = scripts.grace(QUIET);
        redis.psetex(KEYS.lock(), 50_000, stored("a:1"));
        assertThat(scripts.renew("a:1", grace)).startsWith("1", "", "");
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(300_000, within(10_000L));
    }

    @Test
    void restoresOnlyTheForgottenLocksOfACall() {
        String grace = scripts.grace(GRACE - 200_000);
        long last = scripts.micros() + 3_600_000_000L;
        redis.psetex("lock:{1}", 50_000, stored("a:1"));
        redis.psetex("lock:{2}", 50_000, stored("b:1"));
        redis.lpush("lock:{4}", "x");
        List<Object> reply = scripts.renew(
                grace,
                new Hold("lock:{1}", "a:1", 7),
                new Hold("lock:{2}", "a:2", last + 9),
                new Hold("lock:{3}", "a:3", last),
                new Hold("lock:{4}", "a:4", last + 9),
                new Hold("lock:{5}", "a:5", 0),
                new Hold("lock:{6}", "a:6", last - 1));
        assertThat(reply)
                .startsWith("101001", "", "")
                .element(3, InstanceOfAssertFactories.LONG)
                .isBetween(150_000L, 200_000L);
        assertThat(redis.get("lock:{2}")).isEqualTo(stored("b:1"));
        assertThat(redis.get("lock:{3}")).isEqualTo(stored(last, "a:3"));
        assertThat(redis.get("lock:{6}")).isEqualTo(stored(last - 1, "a:6"));
        assertThat(redis.exists("lock:{5}")).isZero();
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(last));
    }

    @Test
    void reportsALockAsLostAfterTheGracePeriod() {
        String grace = scripts.grace(GRACE);
        assertThat(scripts.renew("a:1", grace)).containsExactly("0", "", "", 0L);
        assertThat(redis.exists(KEYS.lock(), KEYS.fence())).isZero();

        String first = scripts.mark(scripts.replid(), 0, "first");
        assertThat(scripts.renew("a:1", first)).containsExactly("0", "", "", 0L);
    }

    @Test
    void restoresAForgottenLock() {
        String grace = scripts.grace(QUIET);
        long last = scripts.micros() + 1_000_000;
        for (int i = 0; i < 2; i++) { // a repeated call changes nothing
            assertThat(scripts.renew("a:1", grace, last))
                    .startsWith("1", "", "")
                    .last()
                    .asInstanceOf(LONG)
                    .as("for how long the history is still young")
                    .isBetween(GRACE - QUIET - 50_000, GRACE - QUIET);
            assertThat(redis.get(KEYS.lock())).endsWith(" a:1");
            assertThat(redis.pttl(KEYS.lock())).isCloseTo(300_000, within(10_000L));
            assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(last));
            assertThat(redis.get(KEYS.lock())).isEqualTo(stored(last, "a:1"));
        }
        assertThat(new Scripts(redis).release("a:1", last)).isEqualTo(1);

        scripts.mark(scripts.replid(), 0, "first");
        assertThat((long) scripts.acquire("b:1", "").get(1)).isGreaterThan(last);
    }

    @Test
    void restoringALockNeverLowersTheCounter() {
        String grace = scripts.grace(QUIET);
        long last = scripts.micros() + 3_600_000_000L;
        redis.set(KEYS.fence(), Long.toString(last));
        assertThat(scripts.renew("a:1", grace, last - 1)).startsWith("1");
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(last));
    }

    @ParameterizedTest
    @ValueSource(strings = {"x", "nan", "1.5", "9007199254740992", "6", "999999999999999"})
    void replacesAnInvalidCounter(String garbage) {
        String grace = scripts.grace(QUIET);
        redis.set(KEYS.fence(), garbage);
        long before = scripts.micros();
        assertThat(scripts.renew("a:1", grace, 7)).startsWith("1");
        assertThat(Long.parseLong(redis.get(KEYS.fence()))).isBetween(before, scripts.micros());
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(7, "a:1"));
    }

    @Test
    void restoresNoLockWhenTheCounterCannotBeWritten() {
        String grace = scripts.grace(QUIET);
        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.renew("a:1", grace, 7)).startsWith("?");
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void restoresNoLockThatAnotherOwnerHas() {
        String grace = scripts.grace(QUIET);
        redis.psetex(KEYS.lock(), 50_000, stored("b:1"));
        assertThat(scripts.renew("a:1", grace, 7)).startsWith("0", "", "");
        assertThat(redis.get(KEYS.lock())).endsWith(" b:1");
        assertThat(redis.exists(KEYS.fence())).isZero();
    }

    @Test
    void restoresNoLockWithAnUnknownFencingToken() {
        String grace = scripts.grace(QUIET);
        assertThat(scripts.renew("a:1", grace, 0)).startsWith("0");
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void renewsALockWhoseCounterIsOfAnotherType() {
        String first = scripts.mark(scripts.replid(), 0, "first");
        redis.psetex(KEYS.lock(), 50_000, stored("a:1"));
        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.renew("a:1", first, 7)).containsExactly("1", "", "", 0L);
        assertThat(redis.lrange(KEYS.fence(), 0, -1)).containsExactly("x");
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "set", "time"})
    void restoresNoLockWhenTheServerRefusesWrites(String command) {
        String grace = scripts.grace(QUIET);
        REDIS.server().grantDefaultUser("-" + command);
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            List<Object> reply = new GuardedScripts(client.connect().sync()).renew("a:1", grace, 7);
            assertThat(reply).startsWith("?").element(2).isEqualTo("");
            assertThat(ServerError.of((String) reply.get(1)).isMissingRight()).isTrue();
        }
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void releasesAtAnyAgeOfTheHistoryAndKeepsTheMarker() {
        Scripts others = new Scripts(redis);
        String grace = scripts.grace(0);
        redis.psetex(KEYS.lock(), 50_000, stored("a:1"));
        assertThat(others.release("a:1", 7)).isEqualTo(1);
        assertThat(redis.get(HISTORY)).isEqualTo(grace);
    }
}
