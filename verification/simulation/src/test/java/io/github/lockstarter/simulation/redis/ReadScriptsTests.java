package io.github.lockstarter.simulation.redis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.redis.LockScript;
import io.github.lockstarter.spi.Slots;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The scripts of readers, branch by branch, with controls that leave out a rule. */
class ReadScriptsTests {

    private static final LuaInterpreter LUA = new LuaInterpreter();
    private static final String GATE = "lock:{a}";
    private static final String WAITERS = GATE + ":waiters";
    private static final List<String> HISTORY =
            List.of("lock:history", "lock:history:checked", "lock:history:takeovers");
    private static final List<String> SLOTS = IntStream.range(Slots.OF_READERS.from(), Slots.OF_READERS.end())
            .mapToObj(slot -> GATE + ":p" + slot)
            .toList();
    private static final String GRACE = "30000";
    private static final long LEASE = 20_000;
    private static final long TAKEOVER = 1_000;
    private static final String READ = LockScript.ACQUIRE_READ.text();
    private static final long GRANTED = 1;
    private static final long CONTENDED = 0;
    private static final long RECOVERING = 2;

    private final List<String> messages = new ArrayList<>();
    private long micros = 1_800_000_000_000_000L;
    private int ids;
    private final SimRedis redis = new SimRedis(LUA, () -> micros, () -> String.format("%040x", ++ids));
    private int tokens;

    @AfterAll
    static void close() {
        LUA.close();
    }

    @BeforeEach
    void subscribe() {
        for (char instance : "abcd".toCharArray()) {
            redis.subscribe(
                    "lock:mailbox:" + id(instance), (channel, message) -> messages.add(instance + " " + message));
        }
    }

    private static String id(char instance) {
        return String.valueOf(instance).repeat(32);
    }

    /** A token of an instance; that of {@code e} has no subscription. */
    private String token(char instance) {
        return id(instance) + ':' + ++tokens + "|main|" + TAKEOVER;
    }

    private void pass(long millis) {
        micros += millis * 1_000;
    }

    private List<Object> values(String script, List<String> keys, String... arguments) {
        Reply reply = redis.execute(
                Stream.of(List.of("EVAL", script, Integer.toString(keys.size())), keys, List.of(arguments))
                        .flatMap(List::stream)
                        .toList());
        return reply instanceof Reply.Several several
                ? several.parts().stream().map(ReadScriptsTests::value).toList()
                : List.of(value(reply));
    }

    private static Object value(Reply reply) {
        return reply instanceof Reply.Numeric number
                ? number.value()
                : reply instanceof Reply.Text text ? text.value() : reply.toString();
    }

    private static List<String> keys(List<String> first, String... others) {
        return Stream.of(first, List.of(others), HISTORY).flatMap(List::stream).toList();
    }

    /** Name, if it waits, and mode. */
    private List<Object> attempt(String script, String token, long lease, String name, String position, String mode) {
        String patience = name.isEmpty() ? "" : "16000";
        return values(
                script,
                keys(SLOTS, GATE, WAITERS, "lock:fence"),
                "",
                GRACE,
                patience,
                token,
                Long.toString(lease),
                "0",
                name,
                "1",
                position,
                mode);
    }

    private Object read(String token) {
        return read(READ, token, LEASE);
    }

    private Object read(String script, String token, long lease) {
        return attempt(script, token, lease, "", "", "read").get(0);
    }

    private Object write(String script, String token) {
        return attempt(script, token, LEASE, "", "", "write").get(0);
    }

    /** Status and owner of an ordinary attempt. */
    private List<Object> plain(String token) {
        List<Object> reply = values(
                LockScript.ACQUIRE.text(),
                keys(List.of(GATE, WAITERS, "lock:fence")),
                "",
                GRACE,
                "",
                token,
                Long.toString(LEASE),
                "0");
        return reply.get(0).equals(CONTENDED) ? List.of(CONTENDED, reply.get(4)) : List.of(GRANTED);
    }

    private Object release(String token) {
        return values(
                        LockScript.RELEASE_READ.text(),
                        Stream.concat(SLOTS.stream(), Stream.of(GATE, WAITERS)).toList(),
                        token)
                .get(0);
    }

    private Object renew(String lock, String token) {
        return values(
                        LockScript.RENEW.text(),
                        List.of(lock, HISTORY.get(0), "lock:fence", HISTORY.get(2)),
                        "",
                        GRACE,
                        "0",
                        token,
                        Long.toString(LEASE),
                        "1")
                .get(0);
    }

    private static String without(String rule, String instead) {
        assertThat(READ).containsOnlyOnce(rule);
        return READ.replace(rule, instead);
    }

    private long left(String key) {
        return (long) values("return redis.call('PTTL', KEYS[1])", List.of(key)).get(0);
    }

    @Test
    void readersMarkTheLockUntilTheLastOneLeaves() {
        String first = token('a');
        String second = token('b');
        assertThat(read(first)).isEqualTo(GRANTED);
        assertThat(read(second)).isEqualTo(GRANTED);
        assertThat(redis.text(GATE).orElseThrow()).endsWith(" %read");
        assertThat(plain(token('c'))).containsExactly(CONTENDED, "%read");
        assertThat(write(READ, token('c'))).isEqualTo(CONTENDED);

        assertThat(release(first)).isEqualTo(1L);
        assertThat(release(first)).isEqualTo(-1L);
        assertThat(write(READ, token('c'))).isEqualTo(CONTENDED);
        assertThat(release(second)).isEqualTo(1L);
        assertThat(redis.keys()).doesNotContainKeys(GATE, SLOTS.get(0), SLOTS.get(1));
        assertThat(plain(token('c'))).containsExactly(GRANTED);
        assertThat(read(token('a'))).isEqualTo(CONTENDED);
    }

    @Test
    void aRepeatedAttemptHasOneSlot() {
        String token = token('a');
        List<Object> first = attempt(READ, token, LEASE, "", "", "read");

        assertThat(attempt(READ, token, LEASE, "", "", "read")).isEqualTo(first);
        assertThat(redis.keys()).doesNotContainKey(SLOTS.get(1));
    }

    @Test
    void theMarkLastsForTheLongestLease() {
        String shorter = without("local left = isRead and redis.pcall('PTTL', gate)", "local left = nil");
        assertThat(markAfterAShorterLease(READ)).isEqualTo(LEASE);
        assertThat(markAfterAShorterLease(shorter)).isEqualTo(LEASE / 2);
    }

    private long markAfterAShorterLease(String script) {
        String first = token('a');
        String second = token('b');
        read(script, first, LEASE);
        read(script, second, LEASE / 2);
        long left = left(GATE);
        release(first);
        release(second);
        return left;
    }

    /** The control ignores the slots: a writer beside a reader. */
    @Test
    void aWriterLooksAtTheSlots() {
        read(token('a'));

        assertThat(write(READ, token('c'))).isEqualTo(CONTENDED);
        assertThat(write(without("    owners[#owners + 1] = owner\n", ""), token('c')))
                .isEqualTo(GRANTED);
    }

    /** The control lets readers join: a writer waits forever. */
    @Test
    void noReaderJoinsWhileAnInstanceWaits() {
        read(token('a'));
        List<Object> queued = attempt(READ, token('c'), LEASE, "=", "", "write");
        assertThat(queued.get(0)).isEqualTo(CONTENDED);
        assertThat(messages).containsExactly("a %!a");

        assertThat(attempt(READ, token('b'), LEASE, "=", "", "read").get(0)).isEqualTo(CONTENDED);
        assertThat(read(token('a'))).isEqualTo(CONTENDED);
        String careless = without("isBehind = position and", "isBehind = false and position and");
        assertThat(read(careless, token('b'), LEASE)).isEqualTo(GRANTED);
    }

    @Test
    void aDeadInstanceInFrontIsDropped() {
        read(token('a'));
        attempt(READ, token('e'), LEASE, "=", "", "write");

        assertThat(read(token('b'))).isEqualTo(GRANTED);
        assertThat(redis.scores(WAITERS)).isEmpty();
    }

    /** The control renews all slots, so that the crashed reader keeps writers out for as long as others read. */
    @Test
    void aCrashedReaderKeepsNobodyOut() {
        String crashed = token('e');
        String alive = token('a');
        read(crashed);
        read(alive);
        for (int i = 0; i < 4; i++) {
            assertThat(write(READ, token('c'))).isEqualTo(CONTENDED);
            assertThat(renew(SLOTS.get(1), alive)).isEqualTo("1");
            pass(TAKEOVER / 2);
        }
        assertThat(release(alive)).isEqualTo(1L);

        assertThat(write(READ, token('c'))).isEqualTo(GRANTED);
        assertThat(redis.keys()).doesNotContainKey(SLOTS.get(0));
        assertThat(renew(SLOTS.get(0), crashed)).isEqualTo("0");
    }

    /** The control leaves the token of the writer: its late renewal succeeds beside the reader. */
    @Test
    void aReaderReplacesACrashedWriter() {
        assertThat(renewalOfACrashedWriter(READ)).isEqualTo("0");
        assertThat(renewalOfACrashedWriter(without(
                        "  if reads then\n    local left",
                        "  if reads and former then\n  elseif reads then\n    local left")))
                .isEqualTo("1");
    }

    private Object renewalOfACrashedWriter(String script) {
        redis.execute(List.of("DEL", GATE, SLOTS.get(0)));
        String crashed = token('e');
        assertThat(plain(crashed)).containsExactly(GRANTED);
        Object status = CONTENDED;
        for (int i = 0; i < 5 && status.equals(CONTENDED); i++) {
            status = read(script, token('a'), LEASE);
            pass(TAKEOVER / 2);
        }
        assertThat(status).isEqualTo(GRANTED);
        return renew(GATE, crashed);
    }

    /** The control grants beside readers whose writer a failover may have forgotten. */
    @Test
    void grantsNothingWhileTheHistoryIsYoung() {
        read(token('a'));
        redis.execute(List.of("SET", "lock:history", "f".repeat(40) + ":" + micros + ":grace"));

        assertThat(read(token('b'))).isEqualTo(RECOVERING);
        assertThat(write(READ, token('c'))).isEqualTo(CONTENDED);
        String careless = READ.replace("not owner and recovering then", "not owner and recovering and not reads then");
        assertThat(read(careless, token('b'), LEASE)).isEqualTo(GRANTED);
    }

    @Test
    void theLastReaderSignalsTheFirstInLine() {
        String first = token('a');
        String second = token('b');
        read(first);
        read(second);
        attempt(READ, token('c'), LEASE, "=", "", "write");
        messages.clear();

        release(first);
        assertThat(messages).isEmpty();
        assertThat(release(second)).isEqualTo(3L);
        assertThat(messages).containsExactly("c a");
    }

    /** One writer's release lets all readers in that wait. */
    @Test
    void aReaderThatHasWaitedSignalsTheNext() {
        String writer = token('c');
        plain(writer);
        Object first = attempt(READ, token('a'), LEASE, "=", "", "read").get(2);
        pass(1);
        Object second = attempt(READ, token('b'), LEASE, "=", "", "read").get(2);
        values(LockScript.RELEASE.text(), List.of(GATE, WAITERS), writer);
        messages.clear();

        assertThat(attempt(READ, token('a'), LEASE, "=", first.toString(), "read")
                        .get(0))
                .isEqualTo(GRANTED);
        assertThat(messages).containsExactly("b a");
        assertThat(attempt(READ, token('b'), LEASE, "=", second.toString(), "read")
                        .get(0))
                .isEqualTo(GRANTED);
    }

    @Test
    void aWriterThatReadsMovesToASlot() {
        String writer = token('a');
        plain(writer);
        String stored = redis.text(GATE).orElseThrow();
        pass(1_000);

        assertThat(read(writer)).isEqualTo(GRANTED);
        assertThat(redis.text(SLOTS.get(0))).contains(stored);
        assertThat(redis.text(GATE).orElseThrow()).endsWith(" %read");
        assertThat(left(GATE)).isEqualTo(left(SLOTS.get(0))).isEqualTo(LEASE - 1_000);
        assertThat(read(writer)).isEqualTo(GRANTED);
        assertThat(read(token('b'))).isEqualTo(GRANTED);
        assertThat(renew(GATE, writer)).isEqualTo("0");
    }

    @Test
    void refusesAKeyOfAnotherType() {
        redis.execute(List.of("ZADD", GATE, "1", "a"));

        assertThat(attempt(READ, token('a'), LEASE, "", "", "read").subList(0, 2))
                .containsExactly(-1L, 1L);
    }
}
