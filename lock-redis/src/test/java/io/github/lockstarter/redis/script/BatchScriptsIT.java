package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.key.KeySpace;
import io.github.lockstarter.redis.key.KeySpace.LockKeys;
import io.github.lockstarter.redis.testing.RedisExtension;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** What the scripts do for several locks, each by itself. */
class BatchScriptsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final KeySpace KEYS = new KeySpace("lock:");
    private static final LockKeys ONE = KEYS.keysOf("one");
    private static final LockKeys TWO = KEYS.keysOf("two");
    private static final LockKeys THREE = KEYS.keysOf("three");
    private static final String INSTANCE = "0123456789abcdef0123456789abcdef";

    private RedisCommands<String, String> redis;
    private GuardedScripts guarded;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        guarded = new GuardedScripts(redis);
    }

    private List<Long> acquire(String token, long floor, LockKeys... locks) {
        return acquire("", token, floor, List.of(), locks);
    }

    private List<Long> acquireGuarded(String known, String token, LockKeys... locks) {
        return acquire(known, token, 0, List.of(GuardedScripts.HISTORY, GuardedScripts.CHECKED), locks);
    }

    private List<Long> acquire(String known, String token, long floor, List<String> history, LockKeys... locks) {
        List<String> arguments = new ArrayList<>(List.of(known, Long.toString(GuardedScripts.GRACE)));
        for (int i = 0; i < locks.length; i++) {
            arguments.addAll(List.of(token, "30000", Long.toString(floor)));
        }
        return redis.eval(
                LockScript.ACQUIRE_BATCH.text(),
                ScriptOutputType.MULTI,
                Stream.of(Stream.of(locks).map(LockKeys::lock), Stream.of(ONE.fence()), history.stream())
                        .flatMap(keys -> keys)
                        .toArray(String[]::new),
                arguments.toArray(String[]::new));
    }

    private List<Long> release(String token, LockKeys... locks) {
        return redis.eval(
                LockScript.RELEASE_BATCH.text(),
                ScriptOutputType.MULTI,
                Stream.concat(
                                Stream.of(locks).map(LockKeys::lock),
                                Stream.of(locks).map(LockKeys::waiters))
                        .toArray(String[]::new),
                Stream.of(locks).flatMap(lock -> Stream.of(token, "")).toArray(String[]::new));
    }

    @Test
    void grantsWhatIsFree() {
        redis.set(TWO.lock(), "somebody");
        List<Long> tokens = acquire("a:1", 0, ONE, TWO, THREE);
        assertThat(tokens).element(1).isEqualTo(0L);
        assertThat(redis.get(ONE.lock())).endsWith(" a:1");
        assertThat(redis.get(TWO.lock())).isEqualTo("somebody");
        assertThat(redis.get(ONE.lock())).isEqualTo(Scripts.stored(tokens.get(0), "a:1"));
        assertThat(redis.get(ONE.fence())).isEqualTo(tokens.get(2).toString());
        assertThat(tokens.get(2)).isEqualTo(tokens.get(0) + 2);
        assertThat(redis.pttl(ONE.lock())).isBetween(29_000L, 30_000L);
    }

    @Test
    void grantsTokensThatGrow() {
        long before = acquire("a:1", 0, ONE).get(0);
        redis.del(ONE.lock());
        assertThat(acquire("a:2", 0, ONE).get(0)).isGreaterThan(before);
        redis.del(ONE.lock());
        long ahead = before + 3_600_000_000L;
        redis.set(ONE.fence(), Long.toString(ahead));
        assertThat(acquire("a:3", 0, ONE)).containsExactly(ahead + 1);
        redis.del(ONE.lock());
        assertThat(acquire("a:4", ahead + 10, ONE))
                .as("a floor is raised by acquire")
                .containsExactly(0L);
        assertThat(redis.exists(ONE.lock())).isZero();
    }

    /** The single call answers it: the client has sent the batch twice. */
    @Test
    void leavesWhatTheTokenHasAlready() {
        acquire("a:1", 0, ONE);
        String held = redis.get(ONE.lock());
        assertThat(acquire("a:1", 0, ONE)).containsExactly(0L);
        assertThat(redis.get(ONE.lock())).isEqualTo(held);
        assertThat(redis.get(ONE.lock())).endsWith(" a:1");
    }

    @Test
    void goesOnBehindALockOfAnotherTypeThatIsToBeGranted() {
        redis.lpush(ONE.lock(), "a list");
        assertThat(acquire("a:1", 0, ONE, TWO)).startsWith(0L).element(1).isNotEqualTo(0L);
        assertThat(redis.type(ONE.lock())).isEqualTo("list");
    }

    @Test
    void grantsNothingThatItCannotCount() {
        redis.lpush(ONE.fence(), "a list");
        assertThat(acquire("a:1", 0, ONE, TWO)).containsExactly(0L, 0L);
        assertThat(redis.exists(ONE.lock(), TWO.lock())).isZero();
    }

    /** The same key may be in a batch twice: of one caller's attempt, and of another one's. */
    @Test
    void grantsALockOnce() {
        assertThat(acquire("a:1", 0, ONE, ONE)).element(1).isEqualTo(0L);
    }

    @Test
    void grantsInTheHistoryOfTheCallerAlone() {
        String known = guarded.grace(GuardedScripts.GRACE);
        assertThat(acquireGuarded("", "a:1", ONE, TWO)).containsExactly(0L, 0L);
        assertThat(acquireGuarded(known, "a:1", ONE, TWO)).doesNotContain(0L);
        redis.del(ONE.lock(), TWO.lock());
        assertThat(acquireGuarded("x" + known, "a:2", ONE, TWO)).containsExactly(0L, 0L);
        assertThat(redis.exists(ONE.lock(), TWO.lock())).isZero();
    }

    @Test
    void grantsNothingWithinTheGrace() {
        String known = guarded.grace(GuardedScripts.GRACE - 10_000);
        assertThat(acquireGuarded(known, "a:1", ONE, TWO)).containsExactly(0L, 0L);
        assertThat(redis.exists(ONE.lock(), TWO.lock())).isZero();
    }

    @Test
    void beginsAHistoryAsASingleCallDoes() {
        guarded.mark("another", GuardedScripts.GRACE, "grace");
        String known = guarded.marker();
        assertThat(acquireGuarded(known, "a:1", ONE)).containsExactly(0L);
        assertThat(guarded.marker()).startsWith(guarded.replid()).endsWith(":grace");
    }

    @Test
    void freesWhatTheTokenHas() {
        acquire("a:1", 0, ONE, THREE);
        redis.set(TWO.lock(), "somebody");
        assertThat(release("a:1", ONE, TWO, THREE)).containsExactly(1L, 0L, 1L);
        assertThat(redis.exists(ONE.lock(), THREE.lock())).isZero();
        assertThat(redis.get(TWO.lock())).isEqualTo("somebody");
        assertThat(release("a:1", ONE)).containsExactly(0L);
    }

    @Test
    void signalsWhoWaitsForEachLock() {
        acquire("a:1", 0, ONE, TWO);
        redis.zadd(ONE.waiters(), 1, INSTANCE);
        redis.zadd(TWO.waiters(), 1, INSTANCE);
        // Nobody listens: both places are spent, and the locks are free.
        assertThat(release("a:1", ONE, TWO)).containsExactly(1L, 1L);
        assertThat(redis.exists(ONE.waiters(), TWO.waiters())).isZero();
    }

    @Test
    void goesOnBehindALockOfAnotherType() {
        redis.lpush(ONE.lock(), "a list");
        acquire("a:1", 0, TWO);
        assertThat(release("a:1", ONE, TWO)).containsExactly(0L, 1L);
    }
}
