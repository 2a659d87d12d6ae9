package io.github.lockstarter.faults.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The checks of holds: each keeps still about what may be, and finds a planted violation. */
class HoldChecksTests {

    private final ExclusionCheck exclusion = new ExclusionCheck();
    private final FencingOrderCheck order = new FencingOrderCheck();
    private final OwnershipCheck ownership = new OwnershipCheck();
    private final LossCheck loss = new LossCheck();

    @Test
    void acceptsHoldsOneAfterTheOther() {
        Script good = Script.of("w1", "w2")
                .acquired("w1", 1, 10, 1000)
                .releasing("w1", 1, 20, 1000)
                .acquired("w2", 2, 21, 1000)
                .releasing("w2", 2, 30, 1000);
        assertThat(good.check(exclusion)).isEmpty();
        assertThat(good.check(order)).isEmpty();
        assertThat(good.check(ownership)).isEmpty();
        assertThat(good.check(loss)).isEmpty();
    }

    @Test
    void findsAnOverlap() {
        Script bad = Script.of("w1", "w2")
                .acquired("w1", 1, 10, 1000)
                .acquired("w2", 2, 19, 1000)
                .releasing("w1", 1, 20, 1000)
                .releasing("w2", 2, 30, 1000);
        assertThat(bad.check(exclusion)).hasSize(1).first().satisfies(violation -> {
            assertThat(violation.invariant()).isEqualTo("I1");
            assertThat(violation.holds()).hasSize(2);
        });
    }

    @Test
    void findsAnOverlapWithALongHoldBehindShortOnes() {
        assertThat(Script.of("w1", "w2")
                        .acquired("w1", 1, 10, 2000)
                        .acquired("w2", 2, 20, 1000)
                        .releasing("w2", 2, 30, 1000)
                        .acquired("w2", 3, 40, 1000)
                        .releasing("w2", 3, 50, 1000)
                        .releasing("w1", 1, 60, 2000)
                        .check(exclusion))
                .hasSize(2);
    }

    @Test
    void acceptsAGrantAfterTheDeadlineOfAnUnreleasedHold() {
        Script paused = Script.of("w1", "w2")
                .acquired("w1", 1, 10, 1000)
                .acquired("w2", 2, 1001, 2000)
                .releasing("w1", 1, 1500, 0)
                .releasing("w2", 2, 1600, 2000);
        assertThat(paused.check(exclusion)).isEmpty();
    }

    @Test
    void countsAnExtendedLease() {
        Script extended = Script.of("w1", "w2").acquired("w1", 1, 10, 1000);
        extended.releasing("w1", 1, 1500, 2000).acquired("w2", 2, 1400, 2400);
        assertThat(extended.check(exclusion)).hasSize(1);
    }

    @Test
    void countsAKilledHolderUntilItsDeath() {
        assertThat(Script.of("w1", "w2")
                        .acquired("w1", 1, 10, 1000)
                        .killed("w1", 100)
                        .acquired("w2", 2, 99, 1000)
                        .check(exclusion))
                .hasSize(1);
        assertThat(Script.of("w1", "w2")
                        .acquired("w1", 1, 10, 1000)
                        .killed("w1", 100)
                        .acquired("w2", 2, 101, 1000)
                        .check(exclusion))
                .isEmpty();
    }

    @Test
    void findsTokensThatDoNotGrow() {
        assertThat(Script.of("w1")
                        .acquired("w1", 2, 10, 1000)
                        .releasing("w1", 2, 11, 1000)
                        .acquired("w1", 1, 20, 1000)
                        .check(order))
                .hasSize(1);
        assertThat(Script.of("w1", "w2")
                        .acquired("w1", 2, 10, 1000)
                        .releasing("w1", 2, 11, 1000)
                        .acquired("w2", 2, 20, 1000)
                        .check(order))
                .as("the same token again")
                .hasSize(1);
    }

    @Test
    void findsEachBreakOfTheOrderOnce() {
        assertThat(Script.of("w1")
                        .acquired("w1", 5, 10, 1000)
                        .releasing("w1", 5, 11, 1000)
                        .acquired("w1", 1, 20, 1000)
                        .releasing("w1", 1, 21, 1000)
                        .acquired("w1", 2, 30, 1000)
                        .releasing("w1", 2, 31, 1000)
                        .check(order))
                .hasSize(1);
    }

    @Test
    void leavesAHoldThatWasNeverValidOutOfTheOrder() {
        assertThat(Script.of("w1", "w2")
                        .acquired("w2", 2, 10, 1000)
                        .releasing("w2", 2, 11, 1000)
                        .acquired("w1", 1, 20, 20)
                        .check(order))
                .isEmpty();
    }

    @Test
    void findsALockThatWasTakenFromItsOwner() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .lost("w1", 1, 300, "OWNER_CHANGED")
                        .check(ownership))
                .hasSize(1);
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .releasing("w1", 1, 300, 1000)
                        .released("w1", 1, 301, "LOST")
                        .check(ownership))
                .hasSize(1);
    }

    @Test
    void acceptsThatAServerForgets() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .fault(History.FORGETS + "flushall", 200, 210)
                        .lost("w1", 1, 300, "OWNER_CHANGED")
                        .check(ownership))
                .isEmpty();
    }

    @Test
    void acceptsThatAReleaseWhoseAnswerIsLostFindsTheNextOwner() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .fault("reply-dropped", 295, 310)
                        .releasing("w1", 1, 300, 1000)
                        .released("w1", 1, 320, "LOST")
                        .check(ownership))
                .isEmpty();
    }

    @Test
    void findsALossThatIsSignalledLateOrTwiceOrNever() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .lost("w1", 1, 1500, "LEASE_EXPIRED")
                        .check(loss))
                .hasSize(1);
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .lost("w1", 1, 1001, "LEASE_EXPIRED")
                        .lost("w1", 1, 1010, "LEASE_EXPIRED")
                        .check(loss))
                .hasSize(1);
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .releasing("w1", 1, 1500, 0)
                        .check(loss))
                .hasSize(1);
    }

    @Test
    void acceptsThatAPausedWorkerIsToldAfterwards() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .stalled("w1", 900, 2900)
                        .lost("w1", 1, 2905, "LEASE_EXPIRED")
                        .check(loss))
                .isEmpty();
    }
}
