package io.github.lockstarter.redis.script;

import static io.github.lockstarter.redis.script.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which fencing tokens are granted, and how long the counter is remembered. */
class AcquireScriptFencingIT extends AcquireScriptOnServer {

    @Test
    void grantsAnewToTheSameTokenWhoseFencingTokenIsForgotten() {
        long granted = scripts.acquire("a:1", 10_000).get(1);
        redis.del(KEYS.fence());
        assertThat(scripts.acquire("a:1", 10_000).get(1)).isGreaterThan(granted);
    }

    @Test
    void growsTheFencingTokenWhenTheClockStandsBelowTheLastOne() {
        long future = serverMicros() + 3_600_000_000L;
        redis.set(KEYS.fence(), Long.toString(future));
        assertThat(scripts.acquire("a:1", 30_000).get(1)).isEqualTo(future + 1);
    }

    @Test
    void growsTheFencingTokenAboveWhatTheCallerKnowsWhenTheCounterIsLost() {
        long known = serverMicros() + 3_600_000_000L;
        assertThat(scripts.acquire("a:1", 30_000, known).get(1)).isEqualTo(known + 1);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(known + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "nan", "inf", "-1", "1.5", "9007199254740991", "9007199254740992", "1e300"})
    void takesGarbageInTheCounterForNothing(String garbage) {
        redis.set(KEYS.fence(), garbage);
        long before = serverMicros();
        assertThat(scripts.acquire("a:1", 30_000).get(1)).isBetween(before, serverMicros());
    }

    @Test
    void grantsFencingTokensInARowAndRemembersTheLast() {
        long before = serverMicros();
        List<Long> granted = scripts.acquireMany("a:1", 64, 0);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(granted.get(1) + 63));
    }

    @Test
    void answersTheSameTokenWithTheFirstOfItsFencingTokensAgain() {
        List<Long> granted = scripts.acquireMany("a:1", 64, 0);
        assertThat(scripts.acquireMany("a:1", 64, 0)).isEqualTo(granted);
        redis.scriptFlush();
        assertThat(scripts.acquireMany("a:1", 64, 0)).isEqualTo(granted);
    }

    @Test
    void grantsAboveAllFencingTokensOfTheLastGrant() {
        long future = serverMicros() + 3_600_000_000L;
        assertThat(scripts.acquireMany("a:1", 64, future).get(1)).isEqualTo(future + 1);
        redis.del(KEYS.lock());
        assertThat(scripts.acquireMany("b:1", 2, future).get(1)).isEqualTo(future + 65);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("a:2", 30_000).get(1)).isEqualTo(future + 67);
    }

    @Test
    void neverReachesTheNumbersThatLuaCannotCount() {
        long limit = 1L << 53;
        redis.set(KEYS.fence(), Long.toString(limit - 65));
        assertThat(scripts.acquireMany("a:1", 64, 0).get(1)).isEqualTo(limit - 64);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(limit - 1));
        redis.del(KEYS.lock());
        redis.set(KEYS.fence(), Long.toString(limit - 64));
        assertThat(scripts.acquireMany("a:2", 64, 0).get(1)).isLessThan(limit - 64);
    }

    @Test
    void grantsAnewToTheSameTokenWhoseCounterIsBelowItsFencingTokens() {
        scripts.acquireMany("a:1", 64, 0);
        redis.set(KEYS.fence(), "63");
        long before = serverMicros();
        assertThat(scripts.acquireMany("a:1", 64, 0).get(1)).isGreaterThanOrEqualTo(before);
    }

    @Test
    void keepsTheExpiryOfTheCounterForHalfADay() {
        long window = serverMicros() / WINDOW_MICROS * WINDOW_MICROS;
        counter(window, 100_000_000);
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(100_000_000, within(1_000L));
        redis.del(KEYS.lock());

        counter(window - 1, 100_000_000);
        scripts.acquire("a:2", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @Test
    void setsTheExpiryWhenTheLastOfTheFencingTokensIsOfAnotherWindow() {
        long next = (serverMicros() / WINDOW_MICROS + 1) * WINDOW_MICROS;
        counter(next - 10, 100_000_000);
        scripts.acquireMany("a:1", 9, 0);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(100_000_000, within(1_000L));
        redis.del(KEYS.lock());
        scripts.acquireMany("a:2", 2, 0);
        assertThat(redis.pttl(KEYS.fence())).isGreaterThanOrEqualTo(DAY_AND_HALF);
    }

    @Test
    void givesACounterWithoutExpiryOneInTheNextWindow() {
        redis.set(KEYS.fence(), Long.toString(serverMicros() / WINDOW_MICROS * WINDOW_MICROS - 1));
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @ParameterizedTest
    @ValueSource(longs = {10_000_000, 31_536_000_000L})
    void remembersTheFencingTokenForThreeLeasesThatAreLonger(long lease) {
        scripts.acquire("a:1", 30_000);
        redis.del(KEYS.lock());
        scripts.acquire("a:2", lease);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(Math.max(3 * lease, DAY_AND_HALF), within(1_000L));
        redis.pexpire(KEYS.fence(), 5_000);
        redis.del(KEYS.lock());
        scripts.acquire("a:3", lease);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(Math.max(3 * lease, DAY_AND_HALF), within(1_000L));
    }

    @Test
    void remembersAFencingTokenThatIsAheadOfTheClockUntilTheClockIsAboveIt() {
        long hours = 11 * 3_600_000L;
        scripts.acquire("a:1", 30_000, serverMicros() + hours * 1000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(hours + DAY_AND_HALF, within(1_000L));
    }

    @Test
    void remembersAFencingTokenThatIsFarAheadOfTheClockForTwoDaysAfterEachGrant() {
        long years = 10 * 365 * 86_400_000L;
        counter(serverMicros() + years * 1000, years);
        for (int i = 1; i <= 2; i++) {
            scripts.acquire("a:" + i, 30_000);
            assertThat(redis.pttl(KEYS.fence())).isCloseTo(TWO_DAYS, within(1_000L));
            redis.del(KEYS.lock());
            redis.pexpire(KEYS.fence(), 5_000);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "0", "9007199254740991"})
    void setsTheExpiryOfACounterThatCountsAsNothing(String garbage) {
        redis.set(KEYS.fence(), garbage);
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @Test
    void writesEveryDigitOfNumbers() {
        long odd = (1L << 53) - 3;
        scripts.acquire("a:1", 30_000, odd - 1);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(odd));
        long position = (1L << 52) + 1;
        scripts.waitFor("b:1", 5_000, position);
        assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) position);
    }
}
