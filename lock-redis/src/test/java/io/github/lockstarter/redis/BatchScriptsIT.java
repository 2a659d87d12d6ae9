package io.github.lockstarter.redis;

import static io.lettuce.core.AclSetuserArgs.Builder.on;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.assertj.core.api.InstanceOfAssertFactories.list;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import io.lettuce.core.protocol.CommandType;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Effects of the scripts on several locks independently. */
class BatchScriptsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final KeySpace KEYS = new KeySpace("lock:");
    private static final LockKeys ONE = KEYS.keysOf("one");
    private static final LockKeys TWO = KEYS.keysOf("two");
    private static final LockKeys THREE = KEYS.keysOf("three");
    private static final String INSTANCE = "0123456789abcdef0123456789abcdef";
    private static final String OTHER = "fedcba9876543210fedcba9876543210";

    private RedisCommands<String, String> redis;
    private GuardedScripts guarded;
    private String first;
    private int looks;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        guarded = new GuardedScripts(redis);
        first = guarded.markFirst();
    }

    private List<Object> acquire(String token, long floor, LockKeys... locks) {
        return acquire(first, token, floor, "", ownNote(), locks);
    }

    private List<Object> acquireGuarded(String known, String token, LockKeys... locks) {
        return acquire(known, token, 0, "", GuardedScripts.CHECKED, locks);
    }

    private List<Object> waitFor(String token, LockKeys... locks) {
        return acquire(first, token, 0, "=", ownNote(), locks);
    }

    /** A call that looks itself. */
    private String ownNote() {
        looks++;
        return GuardedScripts.CHECKED + looks;
    }

    private List<Object> acquire(
            String known, String token, long floor, String name, String checked, LockKeys... locks) {
        List<String> arguments = new ArrayList<>(List.of(known, Long.toString(GuardedScripts.GRACE), "50000"));
        for (int i = 0; i < locks.length; i++) {
            arguments.addAll(List.of(token, "300000", Long.toString(floor), name));
        }
        List<Object> replies = redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                Stream.of(
                                Stream.of(locks).map(LockKeys::lock),
                                Stream.of(locks).map(LockKeys::waiters),
                                Stream.of(ONE.fence(), GuardedScripts.HISTORY, checked, GuardedScripts.TAKEOVERS))
                        .flatMap(keys -> keys)
                        .toArray(String[]::new),
                arguments.toArray(String[]::new));
        List<Object> all = locks.length == 1 && replies.size() > 1 ? List.of(replies) : replies;
        return all.stream()
                .map(reply -> reply instanceof List<?> parts ? Scripts.values(parts) : reply)
                .toList();
    }

    private List<Long> release(String token, LockKeys... locks) {
        return redis.eval(
                LockScript.RELEASE.text(),
                ScriptOutputType.MULTI,
                Stream.concat(
                                Stream.of(locks).map(LockKeys::lock),
                                Stream.of(locks).map(LockKeys::waiters))
                        .toArray(String[]::new),
                Stream.of(locks).flatMap(lock -> Stream.of(token, "")).toArray(String[]::new));
    }

    private static long first(List<Object> replies) {
        return (long) replies.get(0);
    }

    @Test
    void grantsFreeLocks() {
        redis.psetex(TWO.lock(), 200_000, "somebody");
        List<Object> replies = acquire("a:1", 0, ONE, TWO, THREE);
        assertThat(replies.get(1))
                .asInstanceOf(list(Object.class))
                .startsWith(0L)
                .endsWith(0L)
                .element(1)
                .asInstanceOf(LONG)
                .isBetween(190_000L, 200_000L);
        assertThat(redis.get(TWO.lock())).isEqualTo("somebody");
        assertThat(redis.get(ONE.lock())).isEqualTo(Scripts.stored(first(replies), "a:1"));
        assertThat(redis.get(ONE.fence())).isEqualTo(replies.get(2).toString());
        assertThat((long) replies.get(2)).isGreaterThan(first(replies));
        assertThat(redis.pttl(ONE.lock())).isBetween(290_000L, 300_000L);
    }

    @Test
    void queuesOnlyAttemptsThatWait() {
        acquire(INSTANCE + ":1", 0, ONE, TWO);
        List<Object> replies = waitFor(OTHER + ":1", ONE, TWO, THREE);
        assertThat(replies).element(2).isInstanceOf(Long.class);
        for (LockKeys lock : List.of(ONE, TWO)) {
            Object contended = replies.get(lock.equals(ONE) ? 0 : 1);
            long position = redis.zscore(lock.waiters(), OTHER).longValue();
            assertThat(contended)
                    .asInstanceOf(list(Object.class))
                    .startsWith(0L)
                    .endsWith(position);
            assertThat(redis.pttl(lock.waiters())).isBetween(40_000L, 50_000L);
        }
        acquire("b:1", 0, ONE);
        assertThat(redis.zcard(ONE.waiters())).isOne();
    }

    @Test
    void continuesAfterALockOfAnotherType() {
        redis.lpush(ONE.lock(), "a list");
        assertThat(acquire("a:1", 0, ONE, TWO))
                .startsWith(List.of(-1L, 1L, 0L))
                .element(1)
                .isInstanceOf(Long.class);
        assertThat(redis.type(ONE.lock())).isEqualTo("list");
    }

    @Test
    void grantsNothingWhenTheCounterCannotBeWritten() {
        redis.lpush(ONE.fence(), "a list");
        assertThat(acquire("a:1", 0, ONE, TWO)).containsOnly(List.of(-1L, 2L, 0L));
        assertThat(redis.exists(ONE.lock(), TWO.lock())).isZero();
    }

    /** A refusal concerns only its own lock: earlier grants remain, and their callers are notified. */
    @Test
    void reportsTheRefusalOfOneLock() {
        redis.set(TWO.lock(), "somebody");
        redis.aclSetuser("batch", on().nopass().allCommands().allKeys().removeCommand(CommandType.ZADD));
        RedisURI uri = RedisURI.builder(REDIS.server().uri())
                .withAuthentication("batch", "any")
                .build();
        List<Object> replies;
        try (RedisClient client = RedisClient.create(uri)) {
            redis = client.connect().sync();
            replies = waitFor(OTHER + ":1", ONE, TWO, THREE);
        }
        connect();
        redis.aclDeluser("batch");
        assertThat(replies.get(0)).isInstanceOf(Long.class);
        assertThat(replies.get(1)).asInstanceOf(list(Object.class)).startsWith(-2L, 0L, 0L);
        assertThat(replies.get(1).toString()).containsAnyOf("zadd", "can't run this command");
        assertThat(replies.get(2)).isInstanceOf(Long.class);
    }

    /** The same key may be in a batch twice: of one caller's attempt, and of another one's. */
    @Test
    void grantsALockOnce() {
        assertThat(acquire("a:1", 0, ONE)).element(0).isInstanceOf(Long.class);
        assertThat(acquire("b:1", 0, TWO, TWO, ONE))
                .element(2)
                .asInstanceOf(list(Object.class))
                .startsWith(0L);
    }

    @Test
    void grantsOnlyInTheHistoryThatTheCallerKnows() {
        String known = guarded.grace(GuardedScripts.GRACE);
        assertThat(acquireGuarded("", "a:1", ONE, TWO)).allSatisfy(reply -> assertThat(reply)
                .asInstanceOf(list(Object.class))
                .startsWith(1L)
                .endsWith(known));
        redis.del(ONE.lock(), TWO.lock());
        assertThat(acquireGuarded(known, "a:1", ONE, TWO)).allMatch(Long.class::isInstance);
        redis.del(ONE.lock(), TWO.lock());
        assertThat(acquireGuarded("x" + known, "a:2", ONE))
                .allSatisfy(reply ->
                        assertThat(reply).asInstanceOf(list(Object.class)).endsWith(known));
    }

    @Test
    void grantsNothingWithinTheGracePeriod() {
        String known = guarded.grace(GuardedScripts.GRACE - 100_000);
        assertThat(acquireGuarded(known, "a:1", ONE, TWO))
                .allSatisfy(reply ->
                        assertThat(reply).asInstanceOf(list(Object.class)).startsWith(2L));
        assertThat(redis.exists(ONE.lock(), TWO.lock())).isZero();
    }

    /** While the note exists, optimistic attempts expect free locks. */
    @Test
    void incrementsTheCounterOnceForAllLocksWhileTheHistoryCheckIsCached() {
        String known = guarded.grace(GuardedScripts.GRACE);
        acquireGuarded(known, "a:1", ONE);
        noteForEver(known);
        redis.configResetstat();
        assertThat(acquireGuarded(known, "b:1", ONE, TWO, THREE)).element(0).isNotInstanceOf(Long.class);
        assertThat(REDIS.server().info("commandstats").get("cmdstat_incrby")).startsWith("calls=1,");
    }

    /** Without grants, there is no cached check, and tries cost no writes. */
    @Test
    void writesNothingForAHeldLockWithoutACachedHistoryCheck() {
        String known = guarded.grace(GuardedScripts.GRACE);
        redis.set(ONE.lock(), "somebody");
        redis.configResetstat();
        acquireGuarded(known, "b:1", ONE, ONE, ONE);
        assertThat(REDIS.server().info("commandstats"))
                .doesNotContainKeys("cmdstat_incrby", "cmdstat_set", "cmdstat_zadd");
    }

    private void noteForEver(String known) {
        redis.eval(
                "return redis.call('SET', KEYS[1], ARGV[1] .. tostring(redis))",
                ScriptOutputType.STATUS,
                new String[] {GuardedScripts.CHECKED},
                known);
    }

    @Test
    void freesTheLocksOfTheLockToken() {
        acquire("a:1", 0, ONE, THREE);
        redis.set(TWO.lock(), "somebody");
        assertThat(release("a:1", ONE, TWO, THREE)).containsExactly(1L, 0L, 1L);
        assertThat(redis.exists(ONE.lock(), THREE.lock())).isZero();
        assertThat(redis.get(TWO.lock())).isEqualTo("somebody");
        assertThat(release("a:1", ONE)).as("free").containsExactly(-1L);
    }

    @Test
    void signalsTheWaiterOfEachLock() {
        acquire("a:1", 0, ONE, TWO);
        redis.zadd(ONE.waiters(), 1, INSTANCE);
        redis.zadd(TWO.waiters(), 1, INSTANCE);
        // No instance listens: both entries are removed, and the locks are free.
        assertThat(release("a:1", ONE, TWO)).containsExactly(1L, 1L);
        assertThat(redis.exists(ONE.waiters(), TWO.waiters())).isZero();
    }

    @Test
    void freesTheOtherLocksAfterOneOfAnotherType() {
        redis.lpush(ONE.lock(), "a list");
        acquire("a:1", 0, TWO);
        assertThat(release("a:1", ONE, TWO)).containsExactly(0L, 1L);
    }
}
