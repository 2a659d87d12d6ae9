package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.GuardedScripts.CHECKED;
import static io.github.lockstarter.redis.GuardedScripts.GRACE;
import static io.github.lockstarter.redis.GuardedScripts.HISTORY;
import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.kit.redis.RedisReplication;
import io.github.lockstarter.kit.redis.RedisServer;
import io.github.lockstarter.kit.redis.TopologyExtension;
import io.lettuce.core.ScriptOutputType;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A check of the history is valid for attempts within 20 ms on the same server. */
class CachedHistoryCheckIT {

    @RegisterExtension
    static final TopologyExtension<RedisReplication> REDIS = TopologyExtension.replication();

    private static final Duration PERIOD = Duration.ofMillis(20);
    private static final int GRANTS = 100;

    private RedisServer master;
    private RedisServer replica;
    private GuardedScripts scripts;

    @BeforeEach
    void connect() {
        master = REDIS.topology().master();
        replica = REDIS.topology().replicas().get(0);
        scripts = new GuardedScripts(master.commands());
    }

    private String oldHistory() {
        return scripts.mark(scripts.replid(), GRACE, "grace");
    }

    /** Since the last reset of the statistics. */
    private static long calls(RedisServer server, String command) {
        String calls = server.info("commandstats").getOrDefault("cmdstat_" + command, "calls=0,");
        return Long.parseLong(calls.substring("calls=".length(), calls.indexOf(',')));
    }

    /** As a look leaves it, but without an end: a test must not depend on how quick the machine is. */
    private void noteForEver(String known) {
        master.commands()
                .eval(
                        "return redis.call('SET', KEYS[1], ARGV[1] .. tostring(redis))",
                        ScriptOutputType.STATUS,
                        new String[] {CHECKED},
                        known);
    }

    private void grantOften(String known, boolean asChecked) {
        master.commands().configResetstat();
        for (int i = 0; i < GRANTS; i++) {
            assertThat(asChecked ? scripts.acquireAsChecked("a:" + i, known) : scripts.acquire("a:" + i, known))
                    .hasSize(1);
            master.commands().del(KEYS.lock());
        }
    }

    @Test
    void readsTheNameOfTheHistoryOncePerPeriod() {
        String known = oldHistory();
        long began = System.nanoTime();
        grantOften(known, true);
        long periods = (System.nanoTime() - began) / PERIOD.toNanos() + 1;
        assertThat(calls(master, "info")).isBetween(1L, periods + 1);
    }

    @Test
    void grantsFencingTokensByIncrementingTheCounter() {
        String known = oldHistory();
        assertThat(scripts.acquireAsChecked("a:0", known)).hasSize(1);
        noteForEver(known);
        master.commands().del(KEYS.lock());
        grantOften(known, true);
        assertThat(calls(master, "incrby")).isEqualTo(GRANTS);
        grantOften(known, false);
        assertThat(calls(master, "incrby")).as("where nothing may be left").isZero();
    }

    /** Otherwise tokens added to it would be below the tokens granted before it was lost. */
    @Test
    void keepsTheCounterAtOrAboveTheTimeOfTheCheck() {
        String known = oldHistory();
        master.commands().set(KEYS.fence(), Long.toString(scripts.micros() - 3_600_000_000L));
        long before = scripts.micros();
        long granted = (long) scripts.acquireAsChecked("a:1", known).get(0);
        assertThat(granted).isGreaterThanOrEqualTo(before);
        noteForEver(known);
        master.commands().del(KEYS.lock());
        assertThat((long) scripts.acquireAsChecked("a:2", known).get(0)).isGreaterThan(granted);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "0", "-7", "999999999999999", "9007199254740992", "9223372036854775807"})
    void usesTheTimeWhenTheCounterIsLostWhileTheCheckIsCached(String garbage) {
        String known = oldHistory();
        long granted = (long) scripts.acquireAsChecked("a:1", known).get(0);
        noteForEver(known);
        master.commands().del(KEYS.lock(), KEYS.fence());
        if (!garbage.isEmpty()) {
            master.commands().set(KEYS.fence(), garbage);
        }
        assertThat((long) scripts.acquireAsChecked("a:2", known).get(0)).isBetween(granted + 1, scripts.micros());
    }

    @Test
    void grantsAboveTheFloorWhileTheCheckIsCached() {
        String known = oldHistory();
        long floor = (long) scripts.acquireAsChecked("a:1", known).get(0) + 3_600_000_000L;
        noteForEver(known);
        master.commands().del(KEYS.lock());
        assertThat(scripts.acquireAsChecked("a:2", known, floor)).containsExactly(floor + 1);
        master.commands().del(KEYS.lock());
        assertThat((long) scripts.acquireAsChecked("a:3", known).get(0)).isGreaterThan(floor + 1);
    }

    private List<Object> acquireBatch(String token, String known) {
        return acquireBatch(LockScript.ACQUIRE.text(), token, known);
    }

    private List<Object> acquireBatch(String script, String token, String known) {
        return master.commands()
                .eval(
                        script,
                        ScriptOutputType.MULTI,
                        new String[] {
                            KEYS.lock(), KEYS.waiters(), KEYS.fence(), HISTORY, CHECKED, GuardedScripts.TAKEOVERS
                        },
                        known,
                        Long.toString(GRACE),
                        "",
                        token,
                        GuardedScripts.LEASE,
                        "0",
                        "");
    }

    @Test
    void grantsAFreeLockByTheCachedCheckAlone() {
        String known = oldHistory();
        long noted = (long) scripts.acquireAsChecked("a:1", known).get(0);
        noteForEver(known);
        assertThat(acquireBatch("b:1", known)).as("of another one").startsWith(0L);
        assertThat(master.commands().get(KEYS.lock())).endsWith(" a:1");
        master.commands().del(KEYS.lock());
        master.commands().configResetstat();
        long granted = (long) acquireBatch("b:2", known).get(0);
        assertThat(granted).isGreaterThan(noted);
        assertThat(calls(master, "info")).isZero();
        assertThat(calls(master, "time")).isZero();
        assertThat(master.commands().get(KEYS.lock())).isEqualTo(Scripts.stored(granted, "b:2"));
        assertThat(master.commands().pttl(KEYS.lock())).isBetween(1L, 300_000L);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "0", "999999999999999", "9007199254740992"})
    void grantsAboveAllTokensWhenTheCounterIsLostWhileTheCheckIsCached(String garbage) {
        String known = oldHistory();
        long granted = (long) scripts.acquireAsChecked("a:1", known).get(0);
        noteForEver(known);
        master.commands().del(KEYS.lock(), KEYS.fence());
        if (!garbage.isEmpty()) {
            master.commands().set(KEYS.fence(), garbage);
        }
        assertThat((long) acquireBatch("a:2", known).get(0)).isBetween(granted + 1, scripts.micros());
    }

    /** The control. */
    @Test
    void checksTheHistoryForEachGrantWithoutACache() {
        grantOften(oldHistory(), false);
        assertThat(calls(master, "info")).isGreaterThanOrEqualTo(GRANTS);
    }

    /** Otherwise a promoted replica would trust the check of its master. */
    @Test
    void doesNotReplicateTheCachedCheck() {
        String known = oldHistory();
        awaitReplicas();
        replica.commands().configResetstat();
        assertThat(scripts.acquireAsChecked("a:1", known)).hasSize(1);
        awaitReplicas();
        long counterAndLockAndMark = 3;
        assertThat(calls(replica, "set")).isEqualTo(counterAndLockAndMark);
        assertThat(replica.commands().exists(CHECKED)).isZero();
    }

    private void awaitReplicas() {
        master.commands().set("lock:{any}", "value");
        assertThat(master.commands().waitForReplication(2, Patience.TIME.toMillis()))
                .isEqualTo(2);
    }

    @Test
    void noticesAPromotionAtOnce() {
        String known = oldHistory();
        assertThat(scripts.acquireAsChecked("a:1", known)).hasSize(1);
        master.commands().del(KEYS.lock());
        awaitReplicas();
        replica.commands().replicaofNoOne();
        assertThat(scripts.acquireAsChecked("a:2", known)).hasSize(1);
        assertThat(new GuardedScripts(replica.commands()).acquireAsChecked("a:3", known))
                .startsWith(2L);
    }

    /** A snapshot, or a full synchronisation, may have brought it from there. */
    @Test
    void ignoresTheCachedCheckOfAnotherProcess() {
        String known = oldHistory();
        String note = noteOfAGrant(known);
        assertThat(note).startsWith(known + "table: ");
        String former = scripts.mark("former", GRACE, "grace");
        master.commands().set(CHECKED, former + note.substring(known.length()));
        assertThat(scripts.acquireAsChecked("a:2", former)).as("the control").hasSize(1);
        master.commands().del(KEYS.lock());
        master.commands().set(CHECKED, former + "table: 0x7f0000000000");
        assertThat(scripts.acquireAsChecked("a:3", former)).startsWith(2L);
    }

    /** Repeats grants until it reads the note of one before the note ends. */
    private String noteOfAGrant(String known) {
        return await().atMost(Patience.TIME)
                .until(
                        () -> {
                            assertThat(scripts.acquireAsChecked("a:1", known)).hasSize(1);
                            String note = master.commands().get(CHECKED);
                            master.commands().del(KEYS.lock());
                            return note;
                        },
                        Objects::nonNull);
    }

    @Test
    void noticesLostDataAtOnce() {
        String known = oldHistory();
        assertThat(scripts.acquireAsChecked("a:1", known)).hasSize(1);
        master.commands().flushall();
        assertThat(scripts.acquireAsChecked("a:2", known)).startsWith(2L);
    }

    /** One command may have deleted the marker, and locks. */
    @Test
    void checksTheHistoryWhenTheMarkerIsMissing() {
        String known = oldHistory();
        scripts.acquireAsChecked("a:1", known);
        noteForEver(known);
        master.commands().del(HISTORY, KEYS.lock());
        assertThat(acquireBatch("b:1", known)).startsWith(2L);
        assertThat(scripts.acquireAsChecked("b:1", known)).startsWith(2L);
        assertThat(master.commands().exists(KEYS.lock())).isZero();
    }

    /** A Lua that hides addresses would give all processes the same note. */
    @ParameterizedTest
    @CsvSource({"true, 1", "false, 0"})
    void cachesTheCheckOnlyWithTheAddressOfTheProcess(boolean shown, long notes) {
        String lasting = LockScript.ACQUIRE.text().replace("CHECKED_FOR = 20\n", "CHECKED_FOR = 60000\n");
        String script = shown ? lasting : "local function tostring() return 'table' end\n" + lasting;
        acquireBatch(script, "a:1", oldHistory());
        assertThat(master.commands().exists(CHECKED)).isEqualTo(notes);
    }

    @Test
    void cachesNoCheckWithinTheGracePeriod() {
        String young = scripts.mark(scripts.replid(), GRACE - 100_000, "grace");
        assertThat(scripts.acquireAsChecked("a:1", young)).startsWith(2L);
        assertThat(master.commands().exists(CHECKED)).isZero();
    }

    /** A caller with another marker is notified. */
    @Test
    void checksTheHistoryForACallerWithAnotherMarker() {
        String known = oldHistory();
        assertThat(scripts.acquireAsChecked("a:1", known)).hasSize(1);
        master.commands().del(KEYS.lock());
        assertThat(scripts.acquireAsChecked("a:2", "")).element(3).isEqualTo(known);
    }
}
