package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Which fencing tokens are granted, by a script that looks at the clock with each grant. */
class AcquireScriptFencingIT extends ScriptsOnServer {

    @Test
    void repeatsTheGrantOfALockTokenEvenIfTheCounterIsLost() {
        List<Long> granted = scripts.acquireMany("a:1", 8, 0);
        redis.del(KEYS.fence());
        assertThat(scripts.acquireMany("a:1", 8, 0)).isEqualTo(granted);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("a:2", 300_000).get(1)).isGreaterThan(granted.get(1) + 7);
    }

    @Test
    void usesOneCounterForAllLocksWithoutAnExpiry() {
        long first = scripts.acquire("a:1", 300_000).get(1);
        redis.pexpire(KEYS.fence(), 600_000);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("a:2", 300_000).get(1)).isGreaterThan(first);
        assertThat(KEYS.fence()).isEqualTo("lock:fence");
        assertThat(redis.pttl(KEYS.fence())).isEqualTo(-1);
    }

    @Test
    void incrementsTheFencingTokenWhenTheClockIsBehind() {
        long future = serverMicros() + 3_600_000_000L;
        redis.set(KEYS.fence(), Long.toString(future));
        assertThat(scripts.acquire("a:1", 300_000).get(1)).isEqualTo(future + 1);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "nan", "inf", "-1", "1.5", "9007199254740991", "9007199254740992", "1e300"})
    void treatsGarbageInTheCounterAsNoCounter(String garbage) {
        redis.set(KEYS.fence(), garbage);
        long before = serverMicros();
        assertThat(scripts.acquire("a:1", 300_000).get(1)).isBetween(before, serverMicros());
    }

    @Test
    void grantsConsecutiveFencingTokensAndStoresTheLast() {
        long before = serverMicros();
        List<Long> granted = scripts.acquireMany("a:1", 64, 0);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(granted.get(1) + 63));
    }

    @Test
    void neverGrantsNumbersThatLuaCannotRepresent() {
        long limit = 1L << 53;
        redis.set(KEYS.fence(), Long.toString(limit - 65));
        assertThat(scripts.acquireMany("a:1", 64, 0).get(1)).isEqualTo(limit - 64);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(limit - 1));
        redis.del(KEYS.lock());
        redis.set(KEYS.fence(), Long.toString(limit - 64));
        assertThat(scripts.acquireMany("a:2", 64, 0).get(1)).isLessThan(limit - 64);
    }

    @Test
    void writesEveryDigitOfNumbers() {
        long odd = (1L << 53) - 3;
        scripts.acquire("a:1", 300_000, odd - 1);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(odd));
        long position = (1L << 52) + 1;
        scripts.waitFor("b:1", 50_000, position);
        assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) position);
    }
}
