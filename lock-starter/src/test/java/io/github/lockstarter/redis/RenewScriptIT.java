package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.testing.RedisExtension;
import io.lettuce.core.api.sync.RedisCommands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class RenewScriptIT {

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
    void prolongsTheLeaseOfTheOwner() {
        scripts.acquire("a:1", 5_000);
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo(1);
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(30_000, within(1_000L));
    }

    @Test
    void neverShortensALease() {
        scripts.acquire("a:1", 30_000);
        assertThat(scripts.renew("a:1", 1_000)).isEqualTo(1);
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(30_000, within(1_000L));
    }

    @Test
    void givesALockThatWasMadePersistentItsLeaseBack() {
        scripts.acquire("a:1", 30_000);
        redis.persist(KEYS.lock());
        assertThat(scripts.renew("a:1", 10_000)).isEqualTo(1);
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(10_000, within(1_000L));
    }

    @Test
    void mayBeRepeated() {
        scripts.acquire("a:1", 5_000);
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo(1);
        assertThat(scripts.renew("a:1", 30_000)).isEqualTo(1);
    }

    @Test
    void leavesTheLockOfAnotherTokenAlone() {
        scripts.acquire("a:1", 5_000);
        assertThat(scripts.renew("b:1", 30_000)).isZero();
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(5_000);
    }

    @Test
    void neverBringsALockBack() {
        scripts.acquire("a:1", 1);
        Awaitility.await().until(() -> redis.exists(KEYS.lock()) == 0);
        assertThat(scripts.renew("a:1", 30_000)).isZero();
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void takesAKeyOfAnotherTypeForALockOfSomebodyElse() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.renew("a:1", 30_000)).isZero();
        assertThat(redis.pttl(KEYS.lock())).isEqualTo(-1);
    }
}
