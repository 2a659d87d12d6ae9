package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.GuardedScripts.GRACE;
import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An attempt that replaces a token, on a server at every age of its history. */
class TicketScriptsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String GONE = "0123456789abcdef0123456789abcdef";
    private static final String TICKET = GONE + ":1|1700000000123 http-1 (detached)";
    private static final String OTHER = GONE + ":2|1700000000123 http-1|300";
    private static final String NEXT = "fedcba9876543210fedcba9876543210:1";

    private RedisCommands<String, String> redis;
    private GuardedScripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new GuardedScripts(redis);
    }

    @Test
    void replacesTheTokenWithTheNextFencingTokenAndALeaseOfItsOwn() {
        String first = scripts.markFirst();
        long before = (Long) scripts.acquire(TICKET, first).get(0);
        redis.pexpire(KEYS.lock(), 500_000);

        List<Object> granted = scripts.replace(TICKET, NEXT, first);

        assertThat(granted).singleElement().asInstanceOf(LONG).isGreaterThan(before);
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored((Long) granted.get(0), NEXT));
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(300_000, within(10_000L));
        assertThat(scripts.replace(TICKET, NEXT, first)).as("repeated").isEqualTo(granted);
        assertThat(scripts.replace(TICKET, OTHER, first)).startsWith(0L);
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored((Long) granted.get(0), NEXT));
    }

    /** As of a forged ticket. */
    @ParameterizedTest
    @ValueSource(strings = {"", "1", "300", "|300", "http-1|300", "1700000000123 http-1|300", ":2", "7", " "})
    void replacesNoTokenByItsEnd(String forged) {
        redis.psetex(KEYS.lock(), 50_000, stored(OTHER));
        String first = scripts.markFirst();

        assertThat(scripts.replace(forged, NEXT, first)).startsWith(0L);

        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(OTHER));
        assertThat(scripts.replace(OTHER, NEXT, first)).as("its token").hasSize(1);
    }

    @Test
    void replacesATokenBehindTheTimeOfItsGrant() {
        redis.psetex(KEYS.lock(), 50_000, stored(7, 1_700_000_000_000_000L, TICKET));

        assertThat(scripts.replace(TICKET, NEXT, scripts.markFirst())).hasSize(1);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, GRACE - 100_000, GRACE})
    void doesNotGrantAFreeLockAtAnyAgeOfTheHistory(long age) {
        String grace = scripts.grace(age);

        assertThat(scripts.replace(TICKET, NEXT, grace)).containsExactly(0L, 0L, 0L);

        assertThat(redis.exists(KEYS.lock(), KEYS.fence())).isZero();
    }

    /** Another instance may hold the lock by the same ticket, which this server has forgotten. */
    @Test
    void keepsTheLockForALaterAttemptInAYoungHistory() {
        redis.psetex(KEYS.lock(), 50_000, stored(TICKET));
        String grace = scripts.grace(GRACE - 200_000);

        assertThat(scripts.replace(TICKET, NEXT, grace))
                .startsWith(2L)
                .element(1, LONG)
                .isBetween(150_000L, 200_000L);

        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(TICKET));
        assertThat(redis.pttl(KEYS.lock())).isBetween(440_000L, 500_000L);
        String old = scripts.grace(GRACE);
        assertThat(scripts.replace(TICKET, NEXT, old)).hasSize(1);
    }

    @Test
    void neverShortensTheLeaseInAYoungHistory() {
        redis.psetex(KEYS.lock(), 2 * GRACE, stored(TICKET));

        assertThat(scripts.replace(TICKET, NEXT, scripts.grace(0))).startsWith(2L);

        assertThat(redis.pttl(KEYS.lock())).isGreaterThan(GRACE + 300_000);
    }

    @Test
    void repeatsTheGrantInAYoungHistory() {
        Object fencingToken = scripts.acquire(NEXT, scripts.markFirst()).get(0);

        assertThat(scripts.replace(TICKET, NEXT, scripts.grace(0))).containsExactly(fencingToken);
    }

    @Test
    void showsAnotherOwnerAndLeavesItTheLock() {
        redis.psetex(KEYS.lock(), 50_000, stored(OTHER));
        scripts.markFirst();

        assertThat(scripts.replace(TICKET, NEXT, scripts.marker()))
                .startsWith(0L)
                .element(4)
                .isEqualTo("01234567|1700000000123 http-1|300");

        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(OTHER));
    }

    /** As a plain attempt, here the control, would. */
    @Test
    void takesNoLockOverFromACrashedOwner() {
        redis.psetex(KEYS.lock(), 50_000, stored(OTHER));
        String first = scripts.markFirst();
        scripts.store(
                GuardedScripts.markOf(GONE), 1_700_000_000_000_000L, scripts.micros(), 600_000, 9_000_000_000_000_000L);

        assertThat(scripts.replace(TICKET, NEXT, first)).startsWith(0L);
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(OTHER));

        assertThat(scripts.acquire(NEXT, first)).startsWith(1L);
    }

    @Test
    void noLockOfATicketIsTakenOver() {
        redis.psetex(KEYS.lock(), 50_000, stored(TICKET));
        String first = scripts.markFirst();
        scripts.store(
                GuardedScripts.markOf(GONE), 1_700_000_000_000_000L, scripts.micros(), 600_000, 9_000_000_000_000_000L);

        assertThat(scripts.acquire(NEXT, first)).startsWith(0L);

        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(TICKET));
    }

    @Test
    void doesNotGrantAKeptLock() {
        redis.psetex(KEYS.lock(), 50_000, stored("%kept"));
        String first = scripts.markFirst();

        assertThat(scripts.replace(TICKET, NEXT, first))
                .startsWith(0L)
                .element(4)
                .isEqualTo("%kept");
    }

    @Test
    void reportsAKeyOfAnotherType() {
        redis.lpush(KEYS.lock(), "x");

        assertThat(scripts.replace(TICKET, NEXT, scripts.markFirst())).startsWith(-1L, 1L);
    }
}
