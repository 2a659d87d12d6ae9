package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static io.github.lockstarter.redis.Scripts.stored;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.redis.RedisExtension;
import io.github.lockstarter.redis.KeySpace.LockKeys;
import io.lettuce.core.RedisClient;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The mark of a disconnected instance, its beat, the takeover, and its trace. */
class CrashTakeoverScriptIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String CRASHED = "0123456789abcdef0123456789abcdef";
    private static final String MARK = GuardedScripts.markOf(CRASHED);
    private static final String TRACE = GuardedScripts.traceOf(CRASHED);
    private static final long TAKEOVER = 300;
    private static final String OWNER = CRASHED + ":1|1700000000123 http-1|" + TAKEOVER;
    private static final String LABEL = "01234567|1700000000123 http-1|" + TAKEOVER;

    /** Its takeover counts only once replicas have acknowledged it. */
    private static final String REPLICATED = OWNER + '+';

    private static final String RIVAL = "fedcba9876543210fedcba9876543210:1";
    private static final String WAITING = "fedcba9876543210fedcba9876543210";

    /** In microseconds: longer than the takeover time. */
    private static final long LONG = 2 * TAKEOVER * 1_000;

    private static final long BEGIN = 1_700_000_000_000_000L;

    /** An end that no test sees. */
    private static final long FAR = 9_000_000_000_000_000L;

    private static final long MOST_OF_ONE_LOOK = TAKEOVER * 1_000 * 3 / 5;
    private static final String GUARDED = "";
    private static final int LOOKED = 4;
    private static final long GRANTED = 1;
    private static final long CONTENDED = 0;
    private static final long RECOVERING = 2;

    private RedisCommands<String, String> redis;
    private GuardedScripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new GuardedScripts(redis);
        scripts.acquire(OWNER, GUARDED);
    }

    @Test
    void marksTheInstanceOfASilentOwner() {
        String before = redis.get(KEYS.lock());
        long now = serverMicros();
        List<Object> answer = scripts.acquire(RIVAL, GUARDED);

        assertThat(answer.get(0)).isEqualTo(CONTENDED);
        assertThat(answer.get(4)).isEqualTo(LABEL);
        assertThat(redis.get(KEYS.lock())).as("the lock").isEqualTo(before);
        String[] mark = scripts.stored(MARK).split(" ", -1);
        long begin = Long.parseLong(mark[0]);
        assertThat(begin).as("begin").isBetween(now, serverMicros());
        assertThat(mark[1]).as("last look").isEqualTo(mark[0]);
        assertThat(mark[2]).as("disconnected for").isEqualTo("0");
        assertThat(mark[3]).as("end").isEqualTo(Long.toString(begin + GuardedScripts.GRACE * 1_000));
        assertThat(redis.pttl(GuardedScripts.TAKEOVERS)).isCloseTo(2 * GuardedScripts.GRACE, within(10_000L));
        assertThat(scripts.stored(TRACE)).isEmpty();
    }

    @Test
    void aMarkAgesByTheTimeSinceTheLastLook() {
        mark(serverMicros() - 100_000, 50_000);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.stored(MARK)).startsWith(BEGIN + " ");
        assertThat(unheard()).isBetween(150_000L, 50_000 + MOST_OF_ONE_LOOK);
    }

    /** A server that stood still between two checks proves nothing about the owner. */
    @Test
    void aMarkAgesByAPartOfTheTakeoverTimePerLookAtMost() {
        mark(serverMicros() - 10 * LONG, 0);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
        assertThat(unheard()).isEqualTo(MOST_OF_ONE_LOOK);
    }

    @Test
    void aMarkDoesNotAgeWhenTheClockIsSetBack() {
        mark(serverMicros() + LONG, 1_000);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(unheard()).isEqualTo(1_000);
    }

    @Test
    void takesTheLockOverAndLeavesATraceOnceTheMarkIsOldEnough() {
        long before = fencingToken();
        scripts.acquire(RIVAL, GUARDED);
        List<Object> answer = takeover();

        assertThat(answer.get(0)).isEqualTo(GRANTED);
        assertThat((Long) answer.get(1)).isGreaterThan(before);
        assertThat(answer.get(4)).isEqualTo(LABEL);
        assertThat(redis.get(KEYS.lock())).endsWith(' ' + RIVAL);
        assertThat(beginOf(TRACE)).isEqualTo(beginOf(MARK));
        assertThat(endOfTrace()).isCloseTo(serverMicros() + 2 * GuardedScripts.GRACE * 1_000, within(10_000_000L));
    }

    @Test
    void takesALockOverForALaterAttemptOfABatch() {
        mark(serverMicros(), LONG);
        LockKeys other = new KeySpace("lock:").keysOf("other");
        List<Object> answers = redis.eval(
                LockScript.ACQUIRE.text(),
                ScriptOutputType.MULTI,
                new String[] {
                    other.lock(),
                    KEYS.lock(),
                    other.waiters(),
                    KEYS.waiters(),
                    KEYS.fence(),
                    GuardedScripts.HISTORY,
                    GuardedScripts.CHECKED,
                    GuardedScripts.TAKEOVERS
                },
                GUARDED,
                Long.toString(GuardedScripts.GRACE),
                "",
                RIVAL,
                "300000",
                "0",
                "",
                RIVAL,
                "300000",
                "0",
                "");
        assertThat(answers.get(1)).asInstanceOf(InstanceOfAssertFactories.LIST).startsWith(GRANTED);
        assertThat(redis.get(KEYS.lock())).endsWith(' ' + RIVAL);
    }

    /** A mark that begins in the microsecond of an earlier one, or on a clock that was set back. */
    @Test
    void aNewMarkBeginsAfterTheTrace() {
        long future = serverMicros() + 60_000_000;
        scripts.store(TRACE, future, FAR + "+");
        scripts.acquire(RIVAL, GUARDED);
        assertThat(beginOf(MARK)).isEqualTo(Long.toString(future + 1));
    }

    /** A new mark may remove it at any time. */
    @Test
    void writesATraceAnewThatIsOver() {
        redis.set(KEYS.lock(), stored(REPLICATED));
        mark(serverMicros(), LONG);
        scripts.store(TRACE, BEGIN, serverMicros() + "+");
        List<Object> answer = scripts.acquire(RIVAL, GUARDED);

        assertThat(answer.get(0)).isEqualTo(CONTENDED);
        assertThat(answer.get(5)).isEqualTo(CRASHED + ' ' + BEGIN);
        assertThat(endOfTrace()).isGreaterThan(serverMicros());
    }

    @Test
    void aBeatRemovesTheMark() {
        mark(serverMicros(), LONG);
        List<String> answer = scripts.beat(CRASHED, GUARDED);

        assertThat(answer).hasSize(4).startsWith(scripts.marker(), "", "");
        assertThat(Integer.parseInt(answer.get(3)))
                .as("seconds since the start of the server, which began in this second or before")
                .isNotNegative();
        assertThat(scripts.stored(MARK)).isEmpty();
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
    }

    @Test
    void answersABeatWithTheTakeover() {
        mark(serverMicros(), LONG);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.beat(CRASHED, GUARDED).get(1)).isEqualTo(Long.toString(BEGIN));
    }

    @Test
    void answersABeatWithTheHistoryBefore() {
        String first = scripts.marker();
        scripts.mark("0".repeat(40), 1_000, "first"); // as if a replica was promoted
        String before = scripts.marker();
        assertThat(scripts.beat(CRASHED, before).get(2)).isEqualTo(before).isNotEqualTo(first);
        assertThat(redis.pttl(GuardedScripts.TAKEOVERS)).isCloseTo(GuardedScripts.GRACE, within(10_000L));
        redis.flushall();
        assertThat(scripts.beat(CRASHED, before).get(2))
                .as("nothing is known after FLUSHALL")
                .isEmpty();
    }

    @Test
    void regardsOwnersAsConnectedWhenTheUserMayNotCountSubscribers() {
        REDIS.server().grantDefaultUser("-pubsub");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            mark(serverMicros(), LONG);
            List<String> answer = forbidden.beat(WAITING, GUARDED, KEYS.lock());
            assertThat(answer.get(0)).as("counts").isEqualTo(scripts.marker());
            assertThat(answer.get(LOOKED)).isEmpty();
        }
    }

    /** A failover might go unnoticed. */
    @Test
    void ignoresABeatWhenTheServerDoesNotNameItsHistory() {
        REDIS.server().grantDefaultUser("-info");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            assertThat(forbidden.beat(CRASHED, scripts.marker()).get(0)).isEmpty();
        }
    }

    /** A master that was deposed answers, and its answer must not count. */
    @Test
    void refusesABeatWithoutAMarkOnAServerThatRefusesWrites() {
        redis.configSet("min-replicas-to-write", "1");
        try {
            assertThatThrownBy(() -> scripts.beat(CRASHED, scripts.marker())).hasMessageContaining("NOREPLICAS");
        } finally {
            redis.configSet("min-replicas-to-write", "0");
        }
    }

    @Test
    void aBeatChecksTheOwnersOfLocksThatTheInstanceWaitsFor() {
        assertThat(looked()).as("first look").isEmpty();
        assertThat(unheard()).isZero();
        mark(serverMicros(), LONG);
        assertThat(looked()).as("abandoned").isEqualTo("1");
        assertThat(redis.get(KEYS.lock())).as("not taken over by a beat").endsWith(' ' + OWNER);
        redis.del(KEYS.lock());
        assertThat(looked()).as("free").isEmpty();
        redis.hset(KEYS.lock(), "a", "b");
        assertThat(looked()).as("of another type").isEmpty();
    }

    @Test
    void aBeatChecksNoOwnerWhileTheHistoryIsYoung() {
        scripts.grace(GuardedScripts.QUIET + 100);
        mark(serverMicros(), LONG);
        assertThat(looked()).isEmpty();
        assertThat(unheard()).isEqualTo(LONG);
    }

    private String looked() {
        return scripts.beat(WAITING, GUARDED, KEYS.lock()).get(LOOKED);
    }

    @Test
    void asksForAcknowledgementByReplicasBeforeATakeover() {
        redis.set(KEYS.lock(), stored(REPLICATED));
        mark(serverMicros(), LONG);
        List<Object> answer = scripts.acquire(RIVAL, GUARDED);

        assertThat(answer.get(0)).isEqualTo(CONTENDED);
        assertThat(answer.get(4)).isEqualTo(LABEL + '+');
        assertThat(answer.get(5)).isEqualTo(CRASHED + ' ' + BEGIN);
        assertThat(looked()).isEqualTo(CRASHED + ' ' + BEGIN);
        assertThat(redis.get(KEYS.lock())).as("untouched").isEqualTo(stored(REPLICATED));
        assertThat(beginOf(TRACE)).isEqualTo(Long.toString(BEGIN));
    }

    @Test
    void takesALockOverOnceTheReplicasAcknowledgedTheTrace() {
        redis.set(KEYS.lock(), stored(REPLICATED));
        mark(serverMicros(), LONG);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "+")).isEqualTo(1);

        assertThat(looked()).isEqualTo("1");
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
        assertThat(scripts.beat(CRASHED, GUARDED).get(1))
                .as("as a replica has it")
                .isEqualTo("" + BEGIN);
    }

    /** The owner was alive in between, and may have confirmed its locks. */
    @Test
    void doesNotTakeOverByTheAcknowledgementOfAnEarlierMark() {
        redis.set(KEYS.lock(), stored(REPLICATED));
        mark(serverMicros(), LONG);
        scripts.acquire(RIVAL, GUARDED);
        scripts.acknowledge(CRASHED, "" + BEGIN, "+");
        scripts.beat(CRASHED, GUARDED);

        scripts.acquire(RIVAL, GUARDED);
        String begin = beginOf(MARK);
        scripts.store(MARK, begin, serverMicros(), LONG, FAR);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(5)).isEqualTo(CRASHED + ' ' + begin);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "+"))
                .as("of the earlier mark")
                .isZero();
        assertThat(beginOf(TRACE)).isEqualTo(begin);
    }

    /** Otherwise a replica could lose the trace before the end of a lease that a late takeover has ended. */
    @Test
    void keepsTheEndOfAMarkAndEndsTheTraceAGracePeriodLater() {
        redis.set(KEYS.lock(), stored(REPLICATED));
        long end = serverMicros() + GuardedScripts.GRACE * 1_000;
        scripts.store(MARK, BEGIN, serverMicros(), LONG, end);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(scripts.stored(MARK)).endsWith(" " + end);
        long ended = endOfTrace();
        assertThat(ended).isGreaterThanOrEqualTo(end + GuardedScripts.GRACE * 1_000);
        assertThat(redis.pttl(GuardedScripts.TAKEOVERS)).isCloseTo(2 * GuardedScripts.GRACE, within(10_000L));
        scripts.acknowledge(CRASHED, "" + BEGIN, "+");
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
        assertThat(endOfTrace()).as("written once").isEqualTo(ended);
    }

    @Test
    void aMarkThatHasEndedBeginsAgain() {
        scripts.store(MARK, BEGIN, serverMicros(), LONG, serverMicros());
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
        assertThat(unheard()).isZero();
    }

    /** Instances that never come back remove nothing. */
    @Test
    void aNewMarkRemovesWhatHasEndedAndNothingElse() {
        long past = serverMicros();
        String ended = "a".repeat(32);
        String other = "b".repeat(32);
        scripts.store(GuardedScripts.markOf(ended), BEGIN, BEGIN, 0, past);
        scripts.store(GuardedScripts.traceOf(ended), BEGIN, past + "+");
        scripts.store(GuardedScripts.markOf(other), BEGIN, BEGIN, 0, FAR);
        scripts.store(GuardedScripts.traceOf(other), BEGIN, FAR + "+");
        scripts.store("before", "a:1:grace");
        scripts.acquire(RIVAL, GUARDED);
        assertThat(redis.hkeys(GuardedScripts.TAKEOVERS))
                .containsExactlyInAnyOrder(MARK, GuardedScripts.markOf(other), GuardedScripts.traceOf(other), "before");
    }

    /** Another instance may have a longer grace period, or takeover time. */
    @Test
    void neverShortensTheLifeOfOtherRecords() {
        mark(serverMicros(), LONG);
        redis.pexpire(GuardedScripts.TAKEOVERS, 5 * GuardedScripts.GRACE);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
        scripts.mark("0".repeat(40), 1_000, "first"); // as if a replica was promoted
        scripts.beat(CRASHED, scripts.marker());
        assertThat(redis.pttl(GuardedScripts.TAKEOVERS)).isGreaterThan(4 * GuardedScripts.GRACE);
    }

    @Test
    void leavesTheKeyOfAnotherProgramAsItIs() {
        redis.set(GuardedScripts.TAKEOVERS, "theirs");
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
        scripts.mark("0".repeat(40), 1_000, "first");
        assertThat(scripts.acquire(RIVAL, scripts.marker()).get(0)).isEqualTo(CONTENDED);
        assertThat(redis.get(GuardedScripts.TAKEOVERS)).isEqualTo("theirs");
        assertThat(redis.pttl(GuardedScripts.TAKEOVERS)).as("without an expiry").isEqualTo(-1);
    }

    @Test
    void writesTheTraceAgainForItsReplicas() {
        scripts.store(TRACE, BEGIN, FAR);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "")).isEqualTo(1);
        assertThat(scripts.stored(TRACE)).isEqualTo(BEGIN + " " + FAR);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "+")).isEqualTo(1);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "")).isEqualTo(1);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "+")).isEqualTo(1);
        assertThat(scripts.stored(TRACE)).as("stays acknowledged").isEqualTo(BEGIN + " " + FAR + "+");
        redis.del(GuardedScripts.TAKEOVERS);
        assertThat(scripts.acknowledge(CRASHED, "" + BEGIN, "")).isZero();
        assertThat(redis.exists(GuardedScripts.TAKEOVERS)).isZero();
    }

    /** A promoted replica cannot be distinguished from its master then, and may not have the same subscribers. */
    @Test
    void neitherMarksNorTakesOverForAUserWhoCannotReadTheHistory() {
        mark(serverMicros() - LONG, LONG);
        String marked = scripts.stored(MARK);
        REDIS.server().grantDefaultUser("-info");
        try (RedisClient client = RedisClient.create(REDIS.server().uri())) {
            GuardedScripts forbidden = new GuardedScripts(client.connect().sync());
            assertThat(forbidden.acquire(RIVAL, scripts.marker()).get(0)).isEqualTo(CONTENDED);
        }
        assertThat(scripts.stored(MARK)).isEqualTo(marked);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
    }

    /** However late the check is, since it counts at most this. */
    @Test
    void doesNotTakeOverBeforeTheTakeoverTime() {
        mark(serverMicros(), TAKEOVER * 1_000 - MOST_OF_ONE_LOOK - 1);
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
    }

    @Test
    void doesNotTakeOverFromASubscribedOwnerWhateverItsMark() throws Exception {
        mark(1, LONG);
        try (Listening mailbox = Listening.to(REDIS.server(), CRASHED)) {
            assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(CONTENDED);
            assertThat(mailbox.received()).as("it receives neither").isEmpty();
        }
        await().until(() -> redis.pubsubNumsub("lock:mailbox:" + CRASHED).containsValue(0L));
        assertThat(scripts.acquire(RIVAL, GUARDED).get(0)).isEqualTo(GRANTED);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                CRASHED + ":1",
                CRASHED + ":1|1700000000123 http-1",
                "%kept",
                "foreign",
                "foreign|x|300",
                CRASHED + ":1|1700000000123 http-1|x",
                CRASHED + ":1|1700000000123 http-1|300|1+2",
                CRASHED + "|1700000000123 http-1|300"
            })
    void neitherMarksNorTakesWhatHasNoTakeoverTime(String token) {
        mark(serverMicros(), LONG);
        String marked = scripts.stored(MARK);
        redis.set(KEYS.lock(), stored(token));
        scripts.acquire(RIVAL, GUARDED);
        assertThat(redis.get(KEYS.lock())).isEqualTo(stored(token));
        assertThat(scripts.stored(MARK)).isEqualTo(marked);
    }

    @Test
    void neitherMarksNorTakesOverWhileTheHistoryIsYoung() {
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(CONTENDED);
        assertThat(scripts.stored(MARK)).isEmpty();

        mark(1, LONG);
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(CONTENDED);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire(RIVAL, "another").get(0)).isEqualTo(RECOVERING);
    }

    @Test
    void answersAReleaseThatTheLockWasTakenOver() {
        mark(1, LONG);
        scripts.acquire(RIVAL, GUARDED);
        assertThat(new Scripts(redis).release(OWNER, 0)).isZero();
        assertThat(redis.get(KEYS.lock())).endsWith(' ' + RIVAL);
    }

    @Test
    void showsHowLongTheOwnerIsInDoubt() {
        assertThat(inspected().get(5)).isEqualTo(-1L);
        mark(serverMicros() - 4_000_000, 1_000_000);
        assertThat(inspected().get(0)).isEqualTo(LABEL);
        assertThat((long) inspected().get(5)).isGreaterThanOrEqualTo(5_000L);
    }

    private List<Object> inspected() {
        return scripts.inspect(GUARDED);
    }

    private List<Object> takeover() {
        return await().pollInterval(Duration.ofMillis(20))
                .until(() -> scripts.acquire(RIVAL, GUARDED), answer -> !answer.get(0)
                        .equals(CONTENDED));
    }

    private void mark(long lastLook, long unheard) {
        scripts.store(MARK, BEGIN, lastLook, unheard, FAR);
    }

    private long unheard() {
        return Long.parseLong(scripts.stored(MARK).split(" ", -1)[2]);
    }

    private String beginOf(String field) {
        return scripts.stored(field).split(" ", -1)[0];
    }

    private long endOfTrace() {
        return Long.parseLong(scripts.stored(TRACE).split(" ", -1)[1].replace("+", ""));
    }

    private long fencingToken() {
        return Long.parseLong(redis.get(KEYS.lock()).substring(0, 16));
    }

    private long serverMicros() {
        return scripts.micros();
    }
}
