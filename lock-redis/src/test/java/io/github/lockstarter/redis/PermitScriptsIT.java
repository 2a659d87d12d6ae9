package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The slot that the acquire script grants, and its answers without a grant. */
class PermitScriptsIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final int PERMITS = 3;
    private static final long GRANTED = 1;
    private static final long CONTENDED = 0;
    private static final long RECOVERING = 2;
    private static final long WRONG_TYPE = -1;
    private static final long TAKEOVER = 300;
    private static final String ONE = "0".repeat(32);
    private static final String OTHER = "1".repeat(32);
    private static final String THIRD = "2".repeat(32);
    private static final String LABEL = "|1700000000123 http-1|" + TAKEOVER;

    private RedisCommands<String, String> redis;
    private GuardedScripts guarded;
    private String marker;
    private int looks;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        guarded = new GuardedScripts(redis);
        marker = guarded.markFirst();
    }

    @Test
    void grantsTheFirstFreeSlot() {
        List<Long> slots = IntStream.range(0, PERMITS)
                .mapToObj(i -> slotOf(acquire("a:" + i, PERMITS)))
                .toList();
        assertThat(slots).containsExactly(0L, 1L, 2L);
        assertThat(acquire("b:1", PERMITS).get(0)).isEqualTo(CONTENDED);

        redis.del(slot(1));
        assertThat(slotOf(acquire("b:2", PERMITS))).isEqualTo(1);
        assertThat(redis.get(slot(1))).endsWith(" b:2");
    }

    /** Whatever has become free in between: a token is in one slot at most. */
    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void repeatsTheSlotOfALockToken(int free) {
        IntStream.range(0, PERMITS).forEach(i -> acquire("a:" + i, PERMITS));
        String token = "a:" + (PERMITS - 1);
        String before = redis.get(slot(PERMITS - 1));
        if (free < PERMITS - 1) {
            redis.del(slot(free));
        }

        List<Object> again = acquire(token, PERMITS);

        assertThat(again.get(0)).isEqualTo(GRANTED);
        assertThat(slotOf(again)).isEqualTo(PERMITS - 1);
        assertThat(redis.get(slot(PERMITS - 1))).isEqualTo(before);
        assertThat(slotsOf(token)).isEqualTo(1);
    }

    /** The control: without looking for its own slot first, an attempt that is sent twice has two. */
    @Test
    void grantsASecondSlotWithoutTheSearchForItsOwn() {
        IntStream.range(0, PERMITS).forEach(i -> acquire("a:" + i, PERMITS));
        redis.del(slot(0));
        String careless = edited("(own or free or abandoned or permits)", "(free or own or abandoned or permits)");

        assertThat(slotOf(acquire(careless, "a:2", PERMITS, ""))).isZero();

        assertThat(slotsOf("a:2")).isEqualTo(2);
    }

    @Test
    void usesOnlyTheSlotsBelowItsOwnLimit() {
        IntStream.range(0, 5).forEach(i -> acquire("a:" + i, 5));
        assertThat(acquire("b:1", PERMITS).get(0)).isEqualTo(CONTENDED);
        redis.del(slot(PERMITS));
        assertThat(acquire("b:1", PERMITS).get(0)).isEqualTo(CONTENDED);
        assertThat(slotOf(acquire("b:1", PERMITS + 1))).isEqualTo(PERMITS);
    }

    /** No signal is sent at the end of a minimum hold or a lease. */
    @Test
    void returnsWhenTheFirstSlotMayBeFree() {
        redis.set(slot(0), Scripts.stored("a:1"), SetArgs.Builder.px(900_000));
        redis.set(slot(1), Scripts.stored("%kept"), SetArgs.Builder.px(70_000));
        redis.set(slot(2), "of another program");

        List<Object> contended = acquire("b:1", PERMITS);

        assertThat((Long) contended.get(1)).isBetween(10_000L, 70_000L);
    }

    /** If an owner may be taken over, waiters must not sleep until the end of a minimum hold. */
    @Test
    void reportsKeptOnlyIfAllSlotsAreKept() {
        redis.set(slot(0), Scripts.stored(ONE + ":1" + LABEL), SetArgs.Builder.px(90_000));
        redis.set(slot(1), Scripts.stored("%kept"), SetArgs.Builder.px(90_000));
        assertThat(acquire("b:1", 2).get(4)).isEqualTo(ONE.substring(0, 8) + LABEL);

        redis.set(slot(0), Scripts.stored("%kept"), SetArgs.Builder.px(90_000));
        assertThat(acquire("b:1", 2).get(4)).isEqualTo("%kept");

        redis.set(slot(0), Scripts.stored("a:1"), SetArgs.Builder.px(90_000));
        assertThat(acquire("b:1", 2).get(4)).isEqualTo("");
    }

    @Test
    void grantsNoFreeSlotWhileTheServerRecovers() {
        guarded.grace(10_000);
        redis.set(slot(0), Scripts.stored("a:1"), SetArgs.Builder.px(300_000));
        marker = guarded.marker();

        assertThat(acquire("b:1", 2).get(0)).isEqualTo(RECOVERING);
        assertThat(redis.exists(slot(1))).isZero();
        assertThat(slotOf(acquire("a:1", 2))).as("it keeps its slot").isZero();
    }

    /** One check marks the owners of all slots, so the slots of two instances become free together. */
    @Test
    void marksEachSilentOwner() {
        acquire(ONE + ":1" + LABEL, 2);
        acquire(OTHER + ":1" + LABEL, 2);

        assertThat(acquire("b:1", 2).get(0)).isEqualTo(CONTENDED);
        assertThat(redis.hlen(GuardedScripts.TAKEOVERS)).as("marks").isEqualTo(2);
    }

    /** The control: a loop that stops at the first disconnected owner. */
    @Test
    void marksOneSilentOwnerPerCallIfTheSearchStopsAtTheFirst() {
        acquire(ONE + ":1" + LABEL, 2);
        acquire(OTHER + ":1" + LABEL, 2);
        String hasty = edited(
                "    if isAbandoned then\n",
                "    if gone and not isAbandoned then break end\n    if isAbandoned then\n");

        acquire(hasty, "b:1", 2, "");
        assertThat(redis.hlen(GuardedScripts.TAKEOVERS)).as("marks").isOne();
    }

    @Test
    void takesOverTheSlotOfAnOwnerThatIsGone() {
        acquire("a:1", PERMITS);
        acquire(ONE + ":1" + LABEL, PERMITS);
        acquire("a:2", PERMITS);
        long now = guarded.micros();
        guarded.store(GuardedScripts.markOf(ONE), now, now, 2 * TAKEOVER * 1_000, 2 * now);

        List<Object> taken = acquire("b:1", PERMITS);

        assertThat(taken.get(0)).isEqualTo(GRANTED);
        assertThat(taken.get(4)).isEqualTo(ONE.substring(0, 8) + LABEL);
        assertThat(slotOf(taken)).isEqualTo(1);
        assertThat(redis.get(slot(0))).endsWith(" a:1");
        assertThat(redis.get(slot(1))).endsWith(" b:1");
    }

    @Test
    void theFailureNamesTheSlotOfAnotherType() {
        acquire("a:1", PERMITS);
        redis.lpush(slot(1), "x");

        List<Object> refused = acquire("b:1", PERMITS);

        assertThat(refused.subList(0, 3)).isEqualTo(List.of(WRONG_TYPE, 1L, 1L));
    }

    /** Otherwise it could not tell whether the token already has a slot. */
    @Test
    void grantsNoSlotThatItCannotRead() {
        IntStream.range(0, 2).forEach(i -> acquire("a:" + i, 2));
        redis.del(slot(0));
        RedisCommands<String, String> fixture = redis;
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            redis = client.connect().sync();
            REDIS.server().grantDefaultUser("-mget");
            assertThatThrownBy(() -> acquire("a:1", 2)).isInstanceOf(RedisCommandExecutionException.class);
        } finally {
            redis = fixture;
        }
        assertThat(slotsOf("a:1")).isEqualTo(1);
    }

    /** Whatever slots it has, and not for its own wait. */
    @Test
    void tellsEachOwnerOnceThatAnotherInstanceWaits() {
        assertThat(noticesFor(LockScript.ACQUIRE_PERMIT.text(), List.of(ONE, OTHER, ONE, THIRD), List.of("b")))
                .isEqualTo(Map.of(ONE, 1L, OTHER, 1L, THIRD, 1L));
        assertThat(noticesFor(LockScript.ACQUIRE_PERMIT.text(), List.of(ONE, OTHER, ONE, THIRD), List.of(ONE)))
                .isEqualTo(Map.of(ONE, 0L, OTHER, 1L, THIRD, 1L));
    }

    /** The control: if only one owner is notified, the others hand over among their own waiters. */
    @ParameterizedTest
    @ValueSource(strings = {"{owners[1]}", "{owners[#owners]}"})
    void theCheckFindsAScriptThatReadsOneSlotOnly(String slots) {
        String hasty = edited(
                "in ipairs(owners) do\n        local holder, after",
                "in ipairs(" + slots + ") do\n        local holder, after");
        assertThat(noticesFor(hasty, List.of(ONE, OTHER, THIRD), List.of("b")).values())
                .contains(0L);
    }

    /** The control: one message for each slot. */
    @Test
    void theCheckFindsAScriptThatCountsSlots() {
        String twice = edited("notified[holder] = true", "notified[holder] = false");
        assertThat(noticesFor(twice, List.of(ONE, OTHER, ONE), List.of("b"))).containsEntry(ONE, 2L);
    }

    /** A waiter may be an owner itself, and know no other one. */
    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void tellsEachWaitingOwnerThatAnotherOneWaits(int owners) {
        List<String> instances = List.of(ONE, OTHER, THIRD, "3".repeat(32)).subList(0, owners);
        assertThat(noticesFor(LockScript.ACQUIRE_PERMIT.text(), instances, instances)
                        .values())
                .allMatch(notices -> notices > 0);
    }

    /** All of them have been notified. */
    @Test
    void notifiesNoOwnerOfAnAdditionalWaitingInstance() {
        List<String> owners = List.of(ONE, OTHER);
        assertThat(noticesFor(LockScript.ACQUIRE_PERMIT.text(), owners, List.of("b", "c", "d")))
                .isEqualTo(Map.of(ONE, 1L, OTHER, 1L));
    }

    /** Number of notices per instance, for these owners and waiters. */
    private Map<String, Long> noticesFor(String script, List<String> owners, List<String> waiters) {
        redis.del(IntStream.range(0, owners.size())
                .mapToObj(PermitScriptsIT::slot)
                .toArray(String[]::new));
        redis.del(KEYS.waiters());
        for (int i = 0; i < owners.size(); i++) {
            assertThat(slotOf(acquire(owners.get(i) + ":" + i + LABEL, owners.size())))
                    .isEqualTo(i);
        }
        Map<String, Long> notices = new TreeMap<>();
        List<Listening> mailboxes = new ArrayList<>();
        try {
            List<String> instances = owners.stream().distinct().toList();
            instances.forEach(instance -> mailboxes.add(Listening.to(REDIS.server(), instance)));
            for (String waiter : waiters) {
                assertThat(acquire(script, waiter + ":9", owners.size(), "300000")
                                .get(0))
                        .isEqualTo(CONTENDED);
            }
            for (int i = 0; i < instances.size(); i++) {
                notices.put(instances.get(i), wantedUntilNow(mailboxes.get(i), instances.get(i)));
            }
        } finally {
            mailboxes.forEach(Listening::close);
        }
        return notices;
    }

    private long wantedUntilNow(Listening mailbox, String instance) {
        redis.publish("lock:mailbox:" + instance, "end");
        Awaitility.await().until(() -> mailbox.received().contains("end"));
        return mailbox.received().stream().filter(("%!" + Scripts.KEY)::equals).count();
    }

    private long slotsOf(String token) {
        return IntStream.range(0, PERMITS)
                .mapToObj(i -> redis.get(slot(i)))
                .filter(owner -> owner != null && owner.endsWith(" " + token))
                .count();
    }

    private static String slot(int slot) {
        return KeySpace.slotOf(KEYS.lock(), slot);
    }

    private static Long slotOf(List<Object> granted) {
        assertThat(granted.get(0)).isEqualTo(GRANTED);
        return (Long) granted.get(7);
    }

    private static String edited(String text, String replacement) {
        assertThat(LockScript.ACQUIRE_PERMIT.text()).containsOnlyOnce(text);
        return LockScript.ACQUIRE_PERMIT.text().replace(text, replacement);
    }

    private List<Object> acquire(String token, int permits) {
        return acquire(LockScript.ACQUIRE_PERMIT.text(), token, permits, "");
    }

    private List<Object> acquire(String script, String token, int permits, String patience) {
        looks++;
        List<Object> reply = redis.eval(
                script,
                ScriptOutputType.MULTI,
                Stream.concat(
                                IntStream.range(0, permits).mapToObj(slot -> KeySpace.slotOf(KEYS.lock(), slot)),
                                Stream.of(
                                        KEYS.waiters(),
                                        KEYS.fence(),
                                        GuardedScripts.HISTORY,
                                        GuardedScripts.CHECKED + looks,
                                        GuardedScripts.TAKEOVERS))
                        .toArray(String[]::new),
                marker,
                Long.toString(GuardedScripts.GRACE),
                patience,
                token,
                GuardedScripts.LEASE,
                "0",
                patience.isEmpty() ? "" : "=",
                "1",
                "",
                "");
        Scripts.only(reply);
        return reply;
    }
}
