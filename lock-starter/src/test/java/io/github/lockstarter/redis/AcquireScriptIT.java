package io.github.lockstarter.redis;

import static io.github.lockstarter.redis.Scripts.KEYS;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.within;

import io.github.lockstarter.testing.RedisExtension;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.SetArgs;
import io.lettuce.core.api.sync.RedisCommands;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AcquireScriptIT {

    @RegisterExtension
    static final RedisExtension REDIS = new RedisExtension();

    private static final String OWNER = "0123456789abcdef0123456789abcdef";
    private static final long DAY_AND_HALF = 129_600_000;
    private static final long WINDOW_MICROS = 43_200_000_000L;

    private RedisCommands<String, String> redis;
    private Scripts scripts;

    @BeforeEach
    void connect() {
        redis = REDIS.server().commands();
        scripts = new Scripts(redis);
    }

    @Test
    void grantsAFreeLockWithAFencingTokenFromTheServersClock() {
        long before = serverMicros();
        List<Long> granted = scripts.acquire("a:1", 30_000);
        assertThat(granted.get(0)).isEqualTo(1);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.get(KEYS.lock())).isEqualTo("a:1");
        assertThat(redis.pttl(KEYS.lock())).isCloseTo(30_000, within(1_000L));
        assertThat(redis.get(KEYS.fence())).isEqualTo(granted.get(1).toString());
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @Test
    void answersTheSameTokenTheSameAgainAndLeavesTheLease() {
        List<Long> granted = scripts.acquire("a:1", 10_000);
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(granted);
        assertThat(redis.pttl(KEYS.lock())).isLessThanOrEqualTo(10_000);
    }

    @Test
    void grantsAnewToTheSameTokenWhoseFencingTokenIsForgotten() {
        long granted = scripts.acquire("a:1", 10_000).get(1);
        redis.del(KEYS.fence());
        assertThat(scripts.acquire("a:1", 10_000).get(1)).isGreaterThan(granted);
    }

    @Test
    void tellsWhoAsksTooHowLongTheLeaseStillIs() {
        scripts.acquire("a:1", 10_000);
        List<Long> contended = scripts.acquire("b:1", 30_000);
        assertThat(contended.get(0)).isZero();
        assertThat(contended.get(1)).isCloseTo(10_000, within(1_000L));
        assertThat(contended.get(2)).isZero();
        assertThat(redis.get(KEYS.lock())).isEqualTo("a:1");
        assertThat(redis.exists(KEYS.waiters())).isZero();
    }

    @Test
    void isContendedWithAForeignOwnerThatSetsTheKey() {
        redis.set(KEYS.lock(), "somebody", SetArgs.Builder.nx().px(5_000));
        assertThat(scripts.acquire("a:1", 30_000).get(0)).isZero();
    }

    @Test
    void keepsForeignOwnersOut() {
        scripts.acquire("a:1", 30_000);
        assertThat(redis.set(KEYS.lock(), "somebody", SetArgs.Builder.nx().px(5_000)))
                .isNull();
    }

    @Test
    void tellsOfAnOwnerWithoutLease() {
        redis.set(KEYS.lock(), "somebody");
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(List.of(0L, -1L, 0L));
    }

    @Test
    void grantsAfterTheLeaseIsOver() {
        long first = scripts.acquire("a:1", 1).get(1);
        Awaitility.await().until(() -> redis.exists(KEYS.lock()) == 0);
        List<Long> second = scripts.acquire("b:1", 30_000);
        assertThat(second.get(0)).isEqualTo(1);
        assertThat(second.get(1)).isGreaterThan(first);
    }

    @Test
    void queuesAWaiterAtTheServersTime() {
        scripts.acquire("a:1", 30_000);
        long before = serverMicros();
        long position = scripts.waitFor("b:1", 5_000, 0).get(2);
        assertThat(position).isBetween(before, serverMicros());
        assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) position);
        assertThat(redis.pttl(KEYS.waiters())).isCloseTo(5_000, within(1_000L));
    }

    @Test
    void keepsTheEarlierPositionOfAWaiter() {
        scripts.acquire("a:1", 30_000);
        long position = scripts.waitFor("b:1", 5_000, 0).get(2);
        assertThat(scripts.waitFor("b:2", 5_000, 0).get(2)).isEqualTo(position);
        assertThat(scripts.waitFor("b:3", 5_000, position + 10).get(2)).isEqualTo(position);
        assertThat(scripts.waitFor("b:4", 5_000, position - 10).get(2)).isEqualTo(position - 10);
    }

    @Test
    void givesAWaiterThatWasSignalledItsOldPositionBack() {
        scripts.acquire("a:1", 30_000);
        long position = scripts.waitFor("b:1", 5_000, 0).get(2);
        redis.zpopmin(KEYS.waiters());
        scripts.waitFor("c:1", 5_000, 0);
        assertThat(scripts.waitFor("b:2", 5_000, position).get(2)).isEqualTo(position);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b", "c");
    }

    @Test
    void keepsTheQueueAsLongAsTheMostPatientWaiter() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 60_000, 0);
        scripts.waitFor("c:1", 1_000, 0);
        assertThat(redis.pttl(KEYS.waiters())).isCloseTo(60_000, within(1_000L));
    }

    @Test
    void takesAWaiterThatIsGrantedOutOfTheQueue() {
        scripts.acquire("a:1", 30_000);
        long position = scripts.waitFor("b:1", 5_000, 0).get(2);
        scripts.waitFor("c:1", 5_000, 0);
        redis.del(KEYS.lock());
        assertThat(scripts.waitFor("b:2", 5_000, position).get(0)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("c");
    }

    @Test
    void leavesTheQueueToTheInstancesWaiterWhenAnAttemptWithoutWaitingIsGranted() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        redis.del(KEYS.lock());
        scripts.acquireMany("b:2", 2, 0);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void growsTheFencingTokenWhenTheClockStandsBelowTheLastOne() {
        long future = serverMicros() + 3_600_000_000L;
        redis.set(KEYS.fence(), Long.toString(future));
        assertThat(scripts.acquire("a:1", 30_000).get(1)).isEqualTo(future + 1);
    }

    @Test
    void growsTheFencingTokenAboveWhatTheCallerKnowsWhenTheCounterIsLost() {
        long known = serverMicros() + 3_600_000_000L;
        assertThat(scripts.acquire("a:1", 30_000, known).get(1)).isEqualTo(known + 1);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(known + 1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "nan", "inf", "-1", "1.5", "9007199254740991", "9007199254740992", "1e300"})
    void takesGarbageInTheCounterForNothing(String garbage) {
        redis.set(KEYS.fence(), garbage);
        long before = serverMicros();
        assertThat(scripts.acquire("a:1", 30_000).get(1)).isBetween(before, serverMicros());
    }

    @Test
    void grantsFencingTokensInARowAndRemembersTheLast() {
        long before = serverMicros();
        List<Long> granted = scripts.acquireMany("a:1", 64, 0);
        assertThat(granted.get(1)).isBetween(before, serverMicros());
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(granted.get(1) + 63));
    }

    @Test
    void answersTheSameTokenWithTheFirstOfItsFencingTokensAgain() {
        List<Long> granted = scripts.acquireMany("a:1", 64, 0);
        assertThat(scripts.acquireMany("a:1", 64, 0)).isEqualTo(granted);
        redis.scriptFlush();
        assertThat(scripts.acquireMany("a:1", 64, 0)).isEqualTo(granted);
    }

    @Test
    void grantsAboveAllFencingTokensOfTheLastGrant() {
        long future = serverMicros() + 3_600_000_000L;
        assertThat(scripts.acquireMany("a:1", 64, future).get(1)).isEqualTo(future + 1);
        redis.del(KEYS.lock());
        assertThat(scripts.acquireMany("b:1", 2, future).get(1)).isEqualTo(future + 65);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("a:2", 30_000).get(1)).isEqualTo(future + 67);
    }

    @Test
    void neverReachesTheNumbersThatLuaCannotCount() {
        long limit = 1L << 53;
        redis.set(KEYS.fence(), Long.toString(limit - 65));
        assertThat(scripts.acquireMany("a:1", 64, 0).get(1)).isEqualTo(limit - 64);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(limit - 1));
        redis.del(KEYS.lock());
        redis.set(KEYS.fence(), Long.toString(limit - 64));
        assertThat(scripts.acquireMany("a:2", 64, 0).get(1)).isLessThan(limit - 64);
    }

    @Test
    void grantsAnewToTheSameTokenWhoseCounterIsBelowItsFencingTokens() {
        scripts.acquireMany("a:1", 64, 0);
        redis.set(KEYS.fence(), "63");
        long before = serverMicros();
        assertThat(scripts.acquireMany("a:1", 64, 0).get(1)).isGreaterThanOrEqualTo(before);
    }

    @Test
    void countsTheOtherInstancesInTheQueue() {
        scripts.acquireMany("a:1", 2, 0);
        long position = scripts.waitFor("b:1", 5_000, 0).get(2);
        scripts.waitFor("c:1", 5_000, 0);
        assertThat(scripts.acquireMany("a:1", 2, 0).get(2)).isEqualTo(2);
        redis.del(KEYS.lock());
        assertThat(scripts.waitFor("b:2", 5_000, position).get(2)).isEqualTo(1);
        redis.del(KEYS.lock());
        assertThat(scripts.waitForMany("c:2", 2).get(2)).isZero();
    }

    @Test
    void doesNotCountTheInstanceItselfThatIsInTheQueue() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        scripts.waitFor("c:1", 5_000, 0);
        redis.del(KEYS.lock());
        assertThat(scripts.acquireMany("b:2", 2, 0).get(2)).isEqualTo(1);
        assertThat(scripts.acquireMany("b:2", 2, 0).get(2)).isEqualTo(1);
    }

    @Test
    void takesAnOwnerThatIsAnsweredAgainOutOfTheQueue() {
        scripts.waitFor("a:1", 5_000, 0);
        long position = scripts.waitFor("a:2", 5_000, 0).get(2);
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.waitFor("a:1", 5_000, position).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void tellsTheOwnerOnceThatTheLockIsWanted() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);
            scripts.waitFor("b:1", 5_000, 0);
            scripts.waitFor("b:2", 5_000, 0);
            scripts.waitFor("c:1", 5_000, 0);
            assertThat(heardUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
        }
    }

    @Test
    void tellsTheOwnerAgainOnceNobodyWaitedInBetween() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);
            scripts.waitFor("b:1", 5_000, 0);
            scripts.withdraw("b:1");
            scripts.waitFor("c:1", 5_000, 0);
            assertThat(heardUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY, "%!" + Scripts.KEY);
        }
    }

    @Test
    void tellsTheOwnerWhoseOwnInstanceIsInTheQueueToo() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);
            scripts.waitFor(OWNER + ":2", 5_000, 0);
            scripts.waitFor("b:1", 5_000, 0);
            scripts.waitFor("c:1", 5_000, 0);
            assertThat(heardUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
        }
    }

    @Test
    void doesNotTellAnOwnerOfItsOwnWaiters() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);
            scripts.waitFor(OWNER + ":2", 5_000, 0);
            assertThat(heardUntilNow(owner, OWNER)).isEmpty();
        }
    }

    @Test
    void doesNotTellTheOwnerOfAnInstanceThatOnlyTries() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);
            scripts.acquire("b:1", 30_000);
            assertThat(heardUntilNow(owner, OWNER)).isEmpty();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "abc",
                "x:1",
                OWNER,
                OWNER + ":",
                OWNER + ":1x",
                ":1",
                "0" + OWNER + ":1",
                "ABCDEF0123456789ABCDEF0123456789:1",
                "{}"
            })
    void tellsNoForeignOwner(String value) {
        redis.set(KEYS.lock(), value);
        long before = publications();
        assertThat(scripts.waitFor("b:1", 5_000, 0).get(0)).isZero();
        assertThat(publications()).isEqualTo(before);
    }

    @Test
    void queuesAWaiterWhoseOwnerCannotBeTold() {
        scripts.acquire(OWNER + ":1", 30_000);
        REDIS.server().grantDefaultUser("-publish");
        RedisClient client = RedisClient.create(REDIS.server().uri());
        try {
            List<Long> contended = new Scripts(client.connect().sync()).waitFor("b:1", 5_000, 0);
            assertThat(contended.get(0)).isZero();
            assertThat(contended.get(2)).isPositive();
        } finally {
            client.shutdown();
        }
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void givesABareNumberUnlessOthersWait() {
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        assertThat(scripts.isAnsweredByANumber("a:1")).isTrue();
        scripts.waitFor("b:1", 5_000, 0);
        assertThat(scripts.isAnsweredByANumber("a:1")).isFalse();
    }

    @Test
    void looksAtTheQueueOnlyForWhoeverHasUseForIt() {
        scripts.acquire("a:1", 30_000);
        scripts.waitFor("b:1", 5_000, 0);
        redis.del(KEYS.lock());
        assertThat(scripts.acquire("c:1", 30_000).get(2)).isZero();
        redis.del(KEYS.lock());
        assertThat(scripts.waitFor("c:1", 5_000, 0).get(2)).isZero();
        assertThat(scripts.waitFor("c:1", 5_000, 1).get(2)).isEqualTo(1);
        assertThat(redis.zrange(KEYS.waiters(), 0, -1)).containsExactly("b");
    }

    @Test
    void keepsTheExpiryOfTheCounterForHalfADay() {
        long window = serverMicros() / WINDOW_MICROS * WINDOW_MICROS;
        counter(window, 100_000_000);
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(100_000_000, within(1_000L));
        redis.del(KEYS.lock());

        counter(window - 1, 100_000_000);
        scripts.acquire("a:2", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @Test
    void setsTheExpiryWhenTheLastOfTheFencingTokensIsOfAnotherWindow() {
        long next = (serverMicros() / WINDOW_MICROS + 1) * WINDOW_MICROS;
        counter(next - 10, 100_000_000);
        scripts.acquireMany("a:1", 9, 0);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(100_000_000, within(1_000L));
        redis.del(KEYS.lock());
        scripts.acquireMany("a:2", 2, 0);
        assertThat(redis.pttl(KEYS.fence())).isGreaterThanOrEqualTo(DAY_AND_HALF);
    }

    @Test
    void givesACounterWithoutExpiryOneInTheNextWindow() {
        redis.set(KEYS.fence(), Long.toString(serverMicros() / WINDOW_MICROS * WINDOW_MICROS - 1));
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @ParameterizedTest
    @ValueSource(longs = {10_000_000, 31_536_000_000L})
    void remembersTheFencingTokenForThreeLeasesThatAreLonger(long lease) {
        scripts.acquire("a:1", 30_000);
        redis.del(KEYS.lock());
        scripts.acquire("a:2", lease);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(Math.max(3 * lease, DAY_AND_HALF), within(1_000L));
        redis.pexpire(KEYS.fence(), 5_000);
        redis.del(KEYS.lock());
        scripts.acquire("a:3", lease);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(Math.max(3 * lease, DAY_AND_HALF), within(1_000L));
    }

    @Test
    void remembersAFencingTokenThatIsAheadOfTheClockUntilTheClockIsAboveIt() {
        long days = 10 * 86_400_000L;
        scripts.acquire("a:1", 30_000, serverMicros() + days * 1000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(days + DAY_AND_HALF, within(1_000L));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "nonsense", "0", "9007199254740991"})
    void setsTheExpiryOfACounterThatCountsAsNothing(String garbage) {
        redis.set(KEYS.fence(), garbage);
        scripts.acquire("a:1", 30_000);
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF, within(1_000L));
    }

    @Test
    void writesEveryDigitOfNumbers() {
        long odd = (1L << 53) - 3;
        scripts.acquire("a:1", 30_000, odd - 1);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(odd));
        long position = (1L << 52) + 1;
        scripts.waitFor("b:1", 5_000, position);
        assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) position);
    }

    @ParameterizedTest
    @ValueSource(strings = {"get", "time", "zcard", "zrem"})
    void givesTheLockBackWhenACommandAfterItIsNotAllowed(String command) {
        scripts.acquire("b:1", 30_000);
        scripts.waitFor("c:1", 5_000, 0);
        redis.del(KEYS.lock());
        REDIS.server().grantDefaultUser("-" + command);
        refused(limited -> limited.waitFor("a:1", 5_000, 1));
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @Test
    void givesTheLockBackWhenTheQueueMayNotBeSearched() {
        scripts.acquire("b:1", 30_000);
        scripts.waitFor("c:1", 5_000, 0);
        redis.del(KEYS.lock());
        REDIS.server().grantDefaultUser("-zscore");
        refused(limited -> limited.acquireMany("a:1", 2, 0));
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {30_000, 86_400_000})
    void givesTheLockBackWhenTheCounterMayNotBeWritten(long lease) {
        long counter = serverMicros() / WINDOW_MICROS * WINDOW_MICROS;
        redis.set(KEYS.fence(), Long.toString(counter));
        REDIS.server().grantDefaultUser("resetkeys", "~" + KEYS.lock(), "~" + KEYS.waiters(), "%R~" + KEYS.fence());
        refused(limited -> limited.acquire("a:1", lease));
        assertThat(redis.exists(KEYS.lock())).isZero();
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(counter));
    }

    @Test
    void leavesTheLockOfATokenThatAsksAgainAndIsRefused() {
        scripts.acquire("a:1", 30_000);
        redis.del(KEYS.fence());
        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(List.of(-1L, 2L, 0L));
        assertThat(redis.get(KEYS.lock())).isEqualTo("a:1");
    }

    @Test
    void tellsOfTheOwnerOnAFullServer() {
        scripts.acquire("a:1", 30_000);
        redis.configSet("maxmemory-policy", "noeviction");
        redis.configSet("maxmemory", "1");
        try {
            assertThat(scripts.acquire("b:1", 30_000).get(0)).isZero();
            assertThat(scripts.acquire("a:1", 30_000).get(0)).isEqualTo(1);
        } finally {
            redis.configSet("maxmemory", "0");
        }
    }

    @Test
    void raisesTheTokensOfAnOwnerToBeginRightAboveTheFloor() {
        long granted = scripts.acquireMany("a:1", 8, 0).get(1);
        long floor = granted + WINDOW_MICROS;

        assertThat(scripts.acquireMany("a:1", 8, floor)).isEqualTo(List.of(1L, floor + 1, 0L));

        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(floor + 8));
        assertThat(redis.pttl(KEYS.fence())).isCloseTo(DAY_AND_HALF + WINDOW_MICROS / 1000, within(1_000L));
    }

    @Test
    void answersARepeatedRaiseTheSameAndALowerFloorToo() {
        long floor = scripts.acquireMany("a:1", 8, 0).get(1);
        List<Long> raised = scripts.acquireMany("a:1", 8, floor);

        assertThat(raised.get(1)).isEqualTo(floor + 1);
        assertThat(scripts.acquireMany("a:1", 8, floor)).isEqualTo(raised);
        assertThat(scripts.acquireMany("a:1", 8, 0)).isEqualTo(raised);
        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(floor + 8));
    }

    @Test
    void raisesToANumberFarBehindTheClock() {
        redis.set(KEYS.lock(), "a:1", SetArgs.Builder.px(30_000));
        counter(1000, 60_000);

        assertThat(scripts.acquire("a:1", 30_000, 1000).get(1)).isEqualTo(1001);

        assertThat(redis.pttl(KEYS.fence())).isPositive();
    }

    @Test
    void raisesNothingForAnotherThanTheOwner() {
        long granted = scripts.acquire("a:1", 30_000).get(1);

        assertThat(scripts.acquire("b:1", 30_000, granted + 1_000).get(0)).isZero();

        assertThat(redis.get(KEYS.fence())).isEqualTo(Long.toString(granted));
    }

    @Test
    void tellsTheTimeToWhoCountsVotes() {
        long before = serverMicros();
        List<Object> granted = scripts.vote("a:1", 0);
        assertThat(granted).hasSize(5).startsWith(1L).element(3).isEqualTo("");
        assertThat((long) granted.get(4)).isBetween(before, serverMicros()).isEqualTo(granted.get(1));
        assertThat(scripts.vote("a:1", 0)).hasSize(5).startsWith(1L, granted.get(1), 0L, "");
        List<Object> contended = scripts.vote("b:1", 0);
        assertThat(contended).hasSize(5).startsWith(0L).element(2).isEqualTo(0L);
        assertThat((long) contended.get(4)).isBetween(before, serverMicros());
        assertThat(redis.exists(KEYS.waiters())).isZero();
    }

    @Test
    void queuesWhoCountsVotesAndTellsTheOwner() {
        try (Listening owner = Listening.to(REDIS.server(), OWNER)) {
            scripts.acquire(OWNER + ":1", 30_000);

            List<Object> queued = scripts.voteAndWait("b:1", 5_000);

            assertThat(queued).hasSize(5).startsWith(0L);
            assertThat(redis.zscore(KEYS.waiters(), "b")).isEqualTo((double) (long) queued.get(2));
            assertThat(heardUntilNow(owner, OWNER)).containsExactly("%!" + Scripts.KEY);
        }
    }

    private void counter(long fencingToken, long millis) {
        redis.psetex(KEYS.fence(), millis, Long.toString(fencingToken));
    }

    private void refused(Consumer<Scripts> attempt) {
        RedisClient client = RedisClient.create(REDIS.server().uri());
        try {
            Scripts limited = new Scripts(client.connect().sync());
            assertThatExceptionOfType(RedisCommandExecutionException.class).isThrownBy(() -> attempt.accept(limited));
        } finally {
            client.shutdown();
        }
    }

    @Test
    void saysWhichKeyHoldsAnotherType() {
        redis.lpush(KEYS.lock(), "x");
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(List.of(-1L, 1L, 0L));
        redis.del(KEYS.lock());

        redis.lpush(KEYS.fence(), "x");
        assertThat(scripts.acquire("a:1", 30_000)).isEqualTo(List.of(-1L, 2L, 0L));
        redis.del(KEYS.fence());

        redis.lpush(KEYS.waiters(), "x");
        assertThat(scripts.acquireMany("a:1", 2, 0)).isEqualTo(List.of(-1L, 3L, 0L));
        assertThat(scripts.waitFor("a:1", 5_000, 1)).isEqualTo(List.of(-1L, 3L, 0L));
        assertThat(redis.exists(KEYS.lock(), KEYS.fence())).isZero();

        redis.set(KEYS.lock(), "b:1");
        assertThat(scripts.waitFor("a:1", 5_000, 0)).isEqualTo(List.of(-1L, 3L, 0L));
    }

    @Test
    void leavesNoLockWhenTheServerRefusesToWrite() {
        redis.configSet("maxmemory-policy", "noeviction");
        redis.configSet("maxmemory", "1");
        try {
            assertThatExceptionOfType(RedisCommandExecutionException.class)
                    .isThrownBy(() -> scripts.acquire("a:1", 30_000))
                    .withMessageStartingWith("OOM");
        } finally {
            redis.configSet("maxmemory", "0");
        }
        assertThat(redis.exists(KEYS.lock())).isZero();
    }

    /** Messages of a channel arrive in order, so one that is sent now arrives after every earlier one. */
    private List<String> heardUntilNow(Listening listening, String instance) {
        redis.publish("lock:mailbox:" + instance, "end");
        Awaitility.await().until(() -> listening.heard().contains("end"));
        return listening.heard().stream()
                .filter(message -> !message.equals("end"))
                .toList();
    }

    private long publications() {
        return Stream.of(REDIS.server()
                        .info("commandstats")
                        .getOrDefault("cmdstat_publish", "calls=0")
                        .split(","))
                .filter(field -> field.startsWith("calls="))
                .mapToLong(field -> Long.parseLong(field.substring("calls=".length())))
                .sum();
    }

    private long serverMicros() {
        List<String> time = redis.time();
        return Long.parseLong(time.get(0)) * 1_000_000 + Long.parseLong(time.get(1));
    }
}
