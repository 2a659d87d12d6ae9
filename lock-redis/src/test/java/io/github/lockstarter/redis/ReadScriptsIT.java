package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.GuardedScripts.GRACE;
import static io.github.lockstarter.redis.GuardedScripts.QUIET;
import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.assertj.core.api.InstanceOfAssertFactories.LONG;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.redis.GuardedScripts.Hold;
import io.github.lockstarter.spi.Slots;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.SetArgs;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Attempts to read, and to write beside readers, and releases of readers. The simulation leaves out rules of the
 * scripts and sees these checks fail.
 */
class ReadScriptsIT extends ScriptsOnServer {

    private static final String GATE = KEYS.lock();
    private static final List<String> SLOTS = KeySpace.slotsOf(GATE, Slots.OF_READERS);

    // Numbers of arguments.
    private static final int PATIENCE = 3;
    private static final int LEASE = 5;
    private static final int FLOOR = 6;
    private static final int NAME = 7;
    private static final int BLOCK = 8;
    private static final int POSITION = 9;
    private static final int UNCOUNTED = 11;
    private static final int TIMED = 12;

    private static final long GRANTED = 1;
    private static final long CONTENDED = 0;
    private static final long RECOVERING = 2;
    private static final long WRONG_TYPE = -1;
    private static final long NO_SLOT = -1;

    /** In ms: longer than any pause of a test, since its instances have no subscription. */
    private static final long TAKEOVER = 300_000;

    private static final String LABEL = "|1700000000123 http-1|" + TAKEOVER;
    private static final long BEGIN = 1_700_000_000_000_000L;
    private static final long FAR = 9_000_000_000_000_000L;

    private static final String A = "a".repeat(32);
    private static final String B = "b".repeat(32);
    private static final String C = "c".repeat(32);
    private static final String DEAD = "d".repeat(32);
    private static final String ONE = A + ":1" + LABEL;
    private static final String OTHER = B + ":1" + LABEL;
    private static final String THIRD = C + ":1" + LABEL;

    private final List<Listening> mailboxes = new ArrayList<>();
    private GuardedScripts guarded;
    private String marker;
    private int looks;

    @BeforeEach
    void beginHistory() {
        guarded = new GuardedScripts(redis);
        marker = guarded.markFirst();
    }

    @AfterEach
    void close() {
        mailboxes.forEach(Listening::close);
    }

    private List<Object> read(String token) {
        return read(token, Map.of());
    }

    private List<Object> read(String token, Map<Integer, String> others) {
        return attempt("read", token, others);
    }

    private List<Object> write(String token) {
        return attempt("write", token, Map.of());
    }

    private List<Object> attempt(String mode, String token, Map<Integer, String> others) {
        return attempt(LockScript.ACQUIRE_READ.text(), mode, token, others);
    }

    /** Returns the position. */
    private String queue(String mode, String token) {
        List<Object> reply = attempt(mode, token, waiting(""));
        assertThat(reply.get(0)).isEqualTo(CONTENDED);
        assertThat((long) reply.get(2)).isPositive();
        return reply.get(2).toString();
    }

    private static Map<Integer, String> waiting(String position) {
        return Map.of(PATIENCE, "50000", NAME, "=", POSITION, position);
    }

    /** Each attempt checks the history. */
    private List<Object> attempt(String script, String mode, String token, Map<Integer, String> others) {
        looks++;
        List<String> arguments = new ArrayList<>(
                List.of(marker, Long.toString(GRACE), "", token, GuardedScripts.LEASE, "0", "", "1", "", mode, "", ""));
        others.forEach((number, value) -> arguments.set(number - 1, value));
        List<String> keys = List.of(
                GATE,
                KEYS.waiters(),
                KEYS.fence(),
                GuardedScripts.HISTORY,
                GuardedScripts.CHECKED + looks,
                GuardedScripts.TAKEOVERS);
        List<Object> reply = redis.eval(
                script,
                ScriptOutputType.MULTI,
                Stream.concat(SLOTS.stream(), keys.stream()).toArray(String[]::new),
                arguments.toArray(String[]::new));
        Scripts.only(reply);
        return reply;
    }

    private Object release(String token, String... others) {
        return releaseBy(LockScript.RELEASE_READ.text(), token, others);
    }

    private Object releaseBy(String script, String token, String... others) {
        List<Object> reply = redis.eval(
                script,
                ScriptOutputType.MULTI,
                Stream.concat(SLOTS.stream(), Stream.of(GATE, KEYS.waiters())).toArray(String[]::new),
                Stream.concat(Stream.of(token), Stream.of(others)).toArray(String[]::new));
        return reply.get(0);
    }

    /** The server refuses a command. */
    private static String refusing(LockScript script, String command) {
        assertThat(script.text()).contains(command);
        return script.text().replace(command, command.replaceFirst("'[A-Z]+'", "'REFUSED'"));
    }

    private static String slot(int number) {
        return SLOTS.get(number - 1);
    }

    private static long fencingToken(List<Object> granted) {
        assertThat(granted.get(0)).isEqualTo(GRANTED);
        return (Long) granted.get(1);
    }

    private static int slotOf(List<Object> granted) {
        assertThat(granted.get(0)).isEqualTo(GRANTED);
        return Math.toIntExact((Long) granted.get(7));
    }

    private List<Object> renewed(String lock, String token) {
        return guarded.renew(marker, new Hold(lock, token, 7));
    }

    /** Its instance has been missing for longer than its takeover time. */
    private void crash(String instance) {
        long missing = 2 * TAKEOVER * 1_000;
        guarded.store(GuardedScripts.markOf(instance), BEGIN, guarded.micros(), missing, FAR);
    }

    private Listening listen(String instance) {
        mailboxes.add(Listening.to(REDIS.server(), instance));
        return mailboxes.get(mailboxes.size() - 1);
    }

    private List<String> waiters() {
        return redis.zrange(KEYS.waiters(), 0, -1);
    }

    @Test
    void readersMarkTheGateUntilTheLastOneLeaves() {
        List<Object> first = read(ONE);
        List<Object> second = read(OTHER);

        assertThat(List.of(slotOf(first), slotOf(second))).containsExactly(1, 2);
        assertThat(fencingToken(second)).isGreaterThan(fencingToken(first));
        assertThat(redis.get(slot(1))).isEqualTo(stored(fencingToken(first), ONE));
        assertThat(redis.get(slot(2))).isEqualTo(stored(fencingToken(second), OTHER));
        assertThat(redis.get(GATE)).isEqualTo(stored(fencingToken(second), "%read"));
        assertThat(release(THIRD)).isEqualTo(NO_SLOT);
        assertThat(release(ONE)).isEqualTo(1L);
        assertThat(release(ONE)).as("again").isEqualTo(NO_SLOT);
        assertThat(redis.exists(GATE, slot(1), slot(2))).isEqualTo(2);
        assertThat(release(OTHER)).isEqualTo(1L);
        assertThat(redis.keys(GATE + "*")).isEmpty();
        assertThat((long) guarded.acquire(THIRD, marker).get(0)).isGreaterThan(fencingToken(second));
    }

    @Test
    void aWriterExcludesReaders() {
        guarded.acquire(ONE, marker);
        String held = redis.get(GATE);

        List<Object> contended = read(OTHER);

        assertThat(contended.get(0)).isEqualTo(CONTENDED);
        assertThat((long) contended.get(1)).isCloseTo(Long.parseLong(GuardedScripts.LEASE), within(50_000L));
        assertThat(contended.get(4)).isEqualTo("aaaaaaaa" + LABEL);
        assertThat(write(OTHER).get(0)).isEqualTo(CONTENDED);
        assertThat(redis.get(GATE)).isEqualTo(held);
        redis.psetex(GATE, 70_000, stored("%kept"));
        assertThat(read(OTHER)).startsWith(CONTENDED).element(4).isEqualTo("%kept");
        assertThat(redis.exists(slot(1))).isZero();
    }

    /** An ordinary attempt changes nothing, even if it waits: the one that looks at readers does. */
    @Test
    void readersExcludeAWriter() {
        read(ONE);
        read(OTHER);

        List<?> reply = scripts.waitFor(THIRD, 50_000, 0);
        assertThat(reply).isEqualTo(List.of(CONTENDED, -1L, 0L, "", "%read"));
        assertThat(redis.exists(KEYS.waiters())).isZero();
        assertThat(write(THIRD)).startsWith(CONTENDED).element(4).isEqualTo("aaaaaaaa" + LABEL);
        queue("write", THIRD);
        release(ONE);
        assertThat(write(THIRD)).startsWith(CONTENDED).element(4).isEqualTo("bbbbbbbb" + LABEL);
        release(OTHER);
        assertThat(slotOf(attempt("write", THIRD, Map.of(TIMED, "time")))).isZero();
        assertThat(redis.get(GATE)).matches("\\d{16}@\\d+ " + THIRD.replace("|", "\\|"));
        assertThat(write(THIRD).get(0)).as("again").isEqualTo(GRANTED);
    }

    /** Even behind a writer that waits. */
    @Test
    void repeatsTheGrantOfAReader() {
        List<Object> first = read(ONE);
        queue("write", OTHER);

        List<Object> again = read(ONE);

        assertThat(again.subList(0, 2)).isEqualTo(first.subList(0, 2));
        assertThat(again.get(2)).as("number of waiting instances").isEqualTo(1L);
        assertThat(slotOf(again)).isEqualTo(1);
        assertThat(redis.exists(slot(2))).isZero();
        redis.pexpire(slot(1), 70_000);
        long floor = fencingToken(first) + HOUR_MICROS;
        assertThat(fencingToken(read(ONE, Map.of(FLOOR, Long.toString(floor), BLOCK, "8"))))
                .isGreaterThan(floor);
        assertThat(redis.pttl(slot(1))).isLessThanOrEqualTo(70_000);
    }

    @Test
    void theGateLastsForTheLongestLease() {
        read(ONE, Map.of(LEASE, "200000"));
        read(OTHER, Map.of(LEASE, "50000"));
        assertThat(redis.pttl(GATE)).isBetween(100_000L, 200_000L);
        read(THIRD, Map.of(LEASE, "400000"));
        assertThat(redis.pttl(GATE)).isBetween(300_000L, 400_000L);
        assertThat(redis.pttl(slot(2))).isLessThanOrEqualTo(50_000);

        assertThat(renewed(GATE, "%read").get(0)).isEqualTo("1");
        assertThat(redis.pttl(GATE)).as("renewed for less").isGreaterThan(300_000);
        assertThat(renewed(slot(2), OTHER).get(0)).isEqualTo("1");
        assertThat(redis.pttl(slot(2))).isGreaterThan(200_000);
        assertThat(renewed(slot(2), ONE).get(0)).isEqualTo("0");
    }

    @Test
    void refusesOneReaderMoreThanThereAreSlots() {
        for (int i = 1; i <= SLOTS.size(); i++) {
            assertThat(slotOf(read(A + ":" + i + LABEL))).isEqualTo(i);
        }
        List<String> before = SLOTS.stream().map(redis::get).toList();
        assertThat(read(OTHER)).startsWith(CONTENDED).element(4).isEqualTo("aaaaaaaa" + LABEL);
        assertThat(SLOTS).extracting(redis::get).isEqualTo(before);

        redis.del(slot(7));
        assertThat(slotOf(read(OTHER))).isEqualTo(7);
    }

    @Test
    void takesTheSlotOfAReaderThatIsGoneOnlyIfNoneIsFree() {
        read(ONE);
        crash(A);
        assertThat(slotOf(read(OTHER))).isEqualTo(2);
        for (int i = 3; i <= SLOTS.size(); i++) {
            read(B + ":" + i + LABEL);
        }

        List<Object> taken = read(THIRD);

        assertThat(slotOf(taken)).isEqualTo(1);
        assertThat(taken.get(4)).isEqualTo("aaaaaaaa" + LABEL);
        assertThat(renewed(slot(1), ONE).get(0)).isEqualTo("0");
        assertThat(release(ONE)).isEqualTo(NO_SLOT);
        assertThat(redis.get(slot(1))).endsWith(THIRD);
    }

    @Test
    void aWriterFollowsReadersOnceAllOfThemAreGone() {
        read(ONE);
        read(OTHER);
        crash(A);
        assertThat(write(THIRD)).startsWith(CONTENDED).element(4).isEqualTo("bbbbbbbb" + LABEL);
        assertThat(redis.get(slot(1))).endsWith(ONE);
        crash(B);

        List<Object> taken = write(THIRD);

        assertThat(slotOf(taken)).isZero();
        assertThat((String) taken.get(4)).endsWith(LABEL);
        assertThat(redis.exists(slot(1), slot(2))).isZero();
        assertThat(redis.get(GATE)).isEqualTo(stored(fencingToken(taken), THIRD));
        assertThat(renewed(slot(1), ONE).get(0)).isEqualTo("0");
        assertThat(renewed(GATE, "%read").get(0)).isEqualTo("0");
        redis.psetex(GATE, 70_000, stored("%read"));
        assertThat(slotOf(write(ONE))).as("a mark without readers").isZero();
    }

    @Test
    void aReaderFollowsAWriterThatIsGone() {
        guarded.acquire(ONE, marker);
        crash(A);

        List<Object> taken = read(OTHER);

        assertThat(slotOf(taken)).isEqualTo(1);
        assertThat(taken.get(4)).isEqualTo("aaaaaaaa" + LABEL);
        assertThat(redis.get(GATE)).isEqualTo(stored(fencingToken(taken), "%read"));
        assertThat(renewed(GATE, ONE).get(0)).as("a late renewal").isEqualTo("0");
        assertThat(scripts.release(ONE, 0)).isZero();
        assertThat(redis.get(GATE)).endsWith(" %read");
    }

    @ParameterizedTest
    @ValueSource(strings = {"read", "write"})
    void replicasAcknowledgeATakeover(String mode) {
        String replicated = ONE + '+';
        if (mode.equals("read")) {
            guarded.acquire(replicated, marker);
        } else {
            read(replicated);
        }
        crash(A);
        assertThat(attempt(mode, OTHER, Map.of()))
                .startsWith(CONTENDED)
                .element(5)
                .isEqualTo(A + ' ' + BEGIN);

        guarded.acknowledge(A, Long.toString(BEGIN), "+");
        assertThat(attempt(mode, OTHER, Map.of()).get(0)).isEqualTo(GRANTED);
    }

    @Test
    void noReaderJoinsOthersWhileAnInstanceWaitsInFront() {
        listen(C);
        read(ONE);
        String inFront = Long.toString(serverMicros());
        queue("write", THIRD);

        assertThat(read(A + ":2" + LABEL).get(0)).isEqualTo(CONTENDED);
        assertThat(read(OTHER).get(0)).isEqualTo(CONTENDED);
        String behind = queue("read", OTHER);
        assertThat(read(OTHER, waiting(behind)).get(0)).isEqualTo(CONTENDED);
        assertThat(read(C + ":2" + LABEL).get(0))
                .as("an attempt that does not wait, of the waiting instance")
                .isEqualTo(CONTENDED);
        assertThat(waiters()).containsExactly(C, B);
        assertThat(slotOf(read(OTHER, waiting(inFront)))).isEqualTo(2);
        assertThat(waiters()).containsExactly(C);
        assertThat(slotOf(read(C + ":3" + LABEL, waiting(""))))
                .as("the first itself")
                .isEqualTo(3);
        assertThat(waiters()).isEmpty();
    }

    @Test
    void aReaderDropsDeadInstancesInFront() {
        read(ONE);
        queue("write", OTHER);
        queue("write", THIRD);
        assertThat(read(A + ":2" + LABEL, Map.of(UNCOUNTED, "uncounted")).get(0))
                .as("where listeners cannot be counted")
                .isEqualTo(CONTENDED);
        listen(C);

        assertThat(read(A + ":2" + LABEL).get(0)).isEqualTo(CONTENDED);
        assertThat(waiters()).containsExactly(C);
        mailboxes.remove(0).close();
        await().until(() -> redis.pubsubNumsub("lock:mailbox:" + C).containsValue(0L));
        assertThat(slotOf(read(A + ":2" + LABEL))).isEqualTo(2);
        assertThat(waiters()).isEmpty();
    }

    @Test
    void tellsEachReaderOnceThatAnotherInstanceWaits() {
        Listening one = listen(A);
        Listening other = listen(B);
        Listening waiting = listen(C);
        read(ONE);
        read(OTHER);
        read(A + ":2" + LABEL);

        queue("write", THIRD);
        queue("write", THIRD);

        assertThat(receivedUntilNow(one, A)).containsExactly("%!" + Scripts.KEY);
        assertThat(receivedUntilNow(other, B)).containsExactly("%!" + Scripts.KEY);
        assertThat(receivedUntilNow(waiting, C)).isEmpty();
    }

    /** One release of a writer lets all readers in that wait, up to the next writer. */
    @Test
    void aReaderThatHasWaitedSignalsTheNextInstance() {
        Listening one = listen(A);
        Listening other = listen(B);
        Listening writer = listen(C);
        guarded.acquire("e:1", marker);
        String first = queue("read", ONE);
        queue("read", DEAD + ":1");
        String second = queue("read", OTHER);
        String third = queue("write", THIRD);
        assertThat(scripts.release("e:1", 0)).isEqualTo(3);
        assertThat(receivedUntilNow(one, A)).containsExactly(Scripts.KEY);
        assertThat(other.received()).isEmpty();

        List<Object> granted = read(ONE, waiting(first));

        assertThat(granted.get(2)).as("instances that wait, one of them dead").isEqualTo(3L);
        assertThat(receivedUntilNow(other, B)).containsExactly(Scripts.KEY);
        assertThat(waiters()).as("a signalled instance keeps its place").containsExactly(B, C);
        assertThat(read(OTHER, waiting(second)).get(0)).isEqualTo(GRANTED);
        assertThat(receivedUntilNow(writer, C)).containsExactly(Scripts.KEY);
        assertThat(attempt("write", THIRD, waiting(third)).get(0)).isEqualTo(CONTENDED);
        assertThat(waiters()).containsExactly(C);
    }

    @Test
    void assumesThatTheNextInstanceIsAliveWhenListenersCannotBeCounted() {
        Listening other = listen(B);
        guarded.acquire("e:1", marker);
        String first = queue("read", ONE);
        queue("read", DEAD + ":1");
        queue("read", OTHER);
        redis.del(GATE);
        Map<Integer, String> uncounted = new HashMap<>(waiting(first));
        uncounted.put(UNCOUNTED, "uncounted");

        assertThat(read(ONE, uncounted).get(0)).isEqualTo(GRANTED);

        assertThat(receivedUntilNow(other, B)).isEmpty();
        assertThat(waiters()).containsExactly(DEAD, B);
    }

    /** It came behind those that wait, so it cannot tell whose turn it is. */
    @Test
    void aReaderThatDidNotWaitSignalsNobody() {
        Listening waiting = listen(C);
        guarded.acquire(ONE, marker);
        queue("write", THIRD);
        redis.del(GATE);

        assertThat(read(OTHER).subList(0, 3)).startsWith(GRANTED).endsWith(1L);

        assertThat(receivedUntilNow(waiting, C)).isEmpty();
    }

    @Test
    void theLastReaderSignalsTheLongestWaitingInstance() {
        Listening waiting = listen(C);
        read(ONE);
        read(OTHER);
        queue("write", DEAD + ":1");
        queue("write", THIRD);

        assertThat(release(ONE)).isEqualTo(1L);
        assertThat(waiters()).containsExactly(DEAD, C);
        assertThat(release(OTHER, "a name")).isEqualTo(3L);

        assertThat(receivedUntilNow(waiting, C)).containsExactly("a name");
        assertThat(redis.exists(KEYS.waiters())).isZero();
    }

    /** After someone deleted the mark, a writer may have come. */
    @Test
    void aReaderLeavesTheGateToAWriter() {
        redis.psetex(slot(1), 70_000, stored(ONE));
        redis.psetex(GATE, 70_000, stored(OTHER));

        assertThat(release(ONE)).isEqualTo(1L);

        assertThat(redis.get(GATE)).isEqualTo(stored(OTHER));
        assertThat(redis.exists(slot(1))).isZero();
    }

    @Test
    void theLastReaderSignalsNobodyIfAllAreDead() {
        read(ONE);
        for (int i = 0; i < 20; i++) {
            queue("write", "d" + i + ":1");
        }
        assertThat(release(ONE)).isEqualTo(1L);
        assertThat(waiters()).as("behind the sixteen that it tried").hasSize(4);

        read(ONE);
        assertThat(release(ONE, "", "uncounted")).isEqualTo(3L);
        assertThat(waiters()).hasSize(3);
    }

    @Test
    void namesTheInstanceThatItsScriptMayNotSignal() {
        guarded.acquire("e:1", marker);
        String first = queue("read", ONE);
        queue("read", OTHER);
        redis.del(GATE);
        String script = refusing(LockScript.ACQUIRE_READ, "redis.pcall('PUBLISH', mailbox .. first");

        assertThat(attempt(script, "read", ONE, waiting(first))).hasSize(9).endsWith(1L, B);

        assertThat(waiters()).containsExactly(B);
    }

    @Test
    void aReleaseSucceedsWithoutItsSignal() {
        read(ONE);
        queue("write", THIRD);
        assertThat(releaseBy(refusing(LockScript.RELEASE_READ, "receivers = redis.pcall('PUBLISH'"), ONE))
                .isEqualTo("2 " + C + ' ' + Scripts.KEY);
        assertThat(redis.exists(GATE, slot(1))).isZero();

        read(ONE);
        redis.lpush(KEYS.waiters(), "x");
        assertThat(release(ONE)).isEqualTo(2L);
        assertThat(redis.exists(GATE, slot(1))).isZero();
    }

    /** A failover may have forgotten a reader, or a writer. */
    @Test
    void grantsNothingWhileTheHistoryIsYoung() {
        read(ONE);
        crash(A);
        marker = guarded.grace(GRACE - 200_000);

        assertThat(read(ONE).get(0)).as("of the reader itself").isEqualTo(GRANTED);
        assertThat(read(OTHER)).startsWith(RECOVERING).element(1, LONG).isBetween(150_000L, 200_000L);
        assertThat(write(THIRD).get(0)).as("no takeover").isEqualTo(CONTENDED);
        assertThat(release(ONE)).isEqualTo(1L);
        assertThat(read(OTHER).get(0)).isEqualTo(RECOVERING);
        assertThat(write(THIRD).get(0)).isEqualTo(RECOVERING);
        redis.psetex(GATE, 70_000, stored(ONE));
        assertThat(read(OTHER).get(0)).as("no takeover of a writer").isEqualTo(CONTENDED);
        redis.psetex(GATE, 70_000, stored("%read"));
        assertThat(write(THIRD).get(0))
                .as("a mark whose readers were forgotten")
                .isEqualTo(RECOVERING);

        marker = guarded.grace(GRACE);
        assertThat(write(THIRD).get(0)).isEqualTo(GRANTED);
    }

    @Test
    void aYoungHistoryRestoresSlotAndMark() {
        Hold mark = new Hold(GATE, "%read", 7);
        Hold slot = new Hold(slot(3), ONE, 7);
        assertThat(guarded.renew(guarded.grace(QUIET - 50_000), mark, slot)).startsWith("dd");
        assertThat(redis.exists(GATE, slot(3))).isZero();
        marker = guarded.grace(GRACE - 200_000);

        assertThat(guarded.renew(marker, mark, slot)).startsWith("11");

        assertThat(redis.get(GATE)).isEqualTo(stored("%read"));
        assertThat(redis.get(slot(3))).isEqualTo(stored(ONE));
        assertThat(write(OTHER).get(0)).isEqualTo(CONTENDED);
        marker = guarded.grace(GRACE);
        assertThat(write(OTHER).get(0)).isEqualTo(CONTENDED);
        assertThat(release(ONE)).isEqualTo(1L);
        assertThat(guarded.renew(marker, mark, slot)).startsWith("00");
        assertThat(slotOf(write(OTHER))).isZero();
    }

    @Test
    void readersAndForeignClientsExcludeEachOther() {
        SetArgs nxPx = SetArgs.Builder.nx().px(60_000);
        read(ONE);
        read(OTHER);
        assertThat(redis.set(GATE, "foreign", nxPx)).isNull();
        release(ONE);
        assertThat(redis.set(GATE, "foreign", nxPx)).isNull();
        release(OTHER);
        assertThat(redis.set(GATE, "foreign", nxPx)).isEqualTo("OK");

        assertThat(read(ONE).get(0)).isEqualTo(CONTENDED);
        assertThat(write(ONE).get(0)).isEqualTo(CONTENDED);
        assertThat(redis.get(GATE)).isEqualTo("foreign");
    }

    @Test
    void refusesKeysOfAnotherType() {
        redis.lpush(GATE, "x");
        assertThat(read(ONE)).startsWith(WRONG_TYPE, 1L);
        assertThat(write(ONE)).startsWith(WRONG_TYPE, 1L);
        redis.del(GATE);
        redis.lpush(KEYS.fence(), "x");
        assertThat(read(ONE)).startsWith(WRONG_TYPE, 2L);
        assertThat(redis.exists(GATE, slot(1))).isZero();
        redis.del(KEYS.fence());
        redis.lpush(KEYS.waiters(), "x");
        read(ONE);
        assertThat(read(OTHER).get(0)).as("without a wait").isEqualTo(GRANTED);
        assertThat(attempt("write", THIRD, waiting(""))).startsWith(WRONG_TYPE, 3L);
        redis.del(KEYS.waiters(), GuardedScripts.HISTORY);
        redis.lpush(GuardedScripts.HISTORY, "x");
        assertThat(read(THIRD)).startsWith(WRONG_TYPE, 4L);
        redis.del(GATE, slot(1), slot(2));
        marker = guarded.markFirst();
        redis.lpush(slot(1), "x");
        assertThat(release(ONE)).isEqualTo(NO_SLOT);
        assertThat(read(ONE)).startsWith(WRONG_TYPE, 1L, (long) Slots.OF_READERS.from());
        assertThat(redis.type(slot(1))).isEqualTo("list");
        redis.del(slot(1));
        write(ONE);
        redis.lpush(slot(1), "x");
        assertThat(read(ONE)).as("a downgrade").startsWith(WRONG_TYPE, 1L, (long) Slots.OF_READERS.from());
        redis.set(GATE, "0000000000000009 %read");
        assertThat(write(OTHER).get(0)).as("after all readers").isEqualTo(GRANTED);
        assertThat(redis.type(slot(1))).isEqualTo("list");
    }

    @Test
    void leavesNoReaderWithoutAMark() {
        String script = refusing(LockScript.ACQUIRE_READ, "redis.pcall('SET', gate");

        assertThatThrownBy(() -> attempt(script, "read", ONE, Map.of()))
                .isInstanceOf(RedisCommandExecutionException.class);

        assertThat(redis.exists(GATE, slot(1))).isZero();
    }

    /** Also while the history is young: the server knows the writer. */
    @ParameterizedTest
    @ValueSource(longs = {0, GRACE})
    void aWriterMovesToASlotWithItsLeaseAndFencingTokens(long age) {
        long first = (Long) guarded.acquireMany(ONE, marker).get(0);
        Listening waiting = listen(C);
        queue("write", THIRD);
        redis.pexpire(GATE, 70_000);
        marker = guarded.grace(age);
        Map<Integer, String> itsGrant = Map.of(FLOOR, Long.toString(first - 1), BLOCK, "8");

        List<Object> moved = read(ONE, itsGrant);

        assertThat(moved).isEqualTo(List.of(GRANTED, first, 1L, "", "", "", "", 1L));
        assertThat(redis.get(slot(1))).isEqualTo(stored(first + 7, ONE));
        assertThat(redis.get(GATE)).isEqualTo(stored(first + 7, "%read"));
        assertThat(List.of(redis.pttl(GATE), redis.pttl(slot(1)))).allMatch(left -> left > 10_000 && left <= 70_000);
        assertThat(waiters()).containsExactly(C);
        assertThat(receivedUntilNow(waiting, C)).containsExactly(Scripts.KEY);
        assertThat(read(ONE, itsGrant)).as("again").isEqualTo(moved);
        assertThat(redis.exists(slot(2))).isZero();
        assertThat(scripts.release(ONE, 0)).as("a release of the writer").isZero();
        assertThat(redis.get(GATE)).endsWith(" %read");
        assertThat(write(THIRD).get(0)).isEqualTo(CONTENDED);
        assertThat(release(ONE)).isEqualTo(3L);
        assertThat(redis.exists(GATE, slot(1))).isZero();
    }

    @Test
    void onlyTheWriterItselfMovesAndOnlyToAFreeSlot() {
        guarded.acquire(ONE, marker);
        String written = redis.get(GATE);
        assertThat(read(A + ":2" + LABEL).get(0)).isEqualTo(CONTENDED);
        SLOTS.forEach(slot -> redis.psetex(slot, 70_000, stored(OTHER)));

        assertThat(read(ONE).get(0)).isEqualTo(CONTENDED);

        assertThat(redis.get(GATE)).isEqualTo(written);
        assertThat(SLOTS).extracting(redis::get).containsOnly(stored(OTHER));
        redis.del(slot(3));
        redis.persist(GATE);
        assertThat(slotOf(read(ONE))).isEqualTo(3);
        assertThat(List.of(redis.pttl(GATE), redis.pttl(slot(3)))).allMatch(left -> left > 200_000);
    }
}
