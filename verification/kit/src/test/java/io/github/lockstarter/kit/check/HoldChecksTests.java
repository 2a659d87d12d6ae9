package io.github.lockstarter.kit.check;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** The checks of holds: each accepts legitimate histories, and finds a planted violation. */
class HoldChecksTests {

    private final ExclusionCheck exclusion = new ExclusionCheck();
    private final FencingOrderCheck order = new FencingOrderCheck();
    private final OwnershipCheck ownership = new OwnershipCheck();
    private final LossCheck loss = new LossCheck();

    @Test
    void acceptsConsecutiveHolds() {
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
    void acceptsAnOverlapAfterARevocationThatTheHolderCouldNotReceive() {
        assertThat(overlapAfterARevocation("UNKNOWN").check(exclusion)).isEmpty();
        assertThat(overlapAfterARevocation("LOST").check(exclusion)).isEmpty();
        assertThat(overlapAfterARevocation("RELEASED").check(exclusion)).hasSize(1);
    }

    private static Script overlapAfterARevocation(String outcome) {
        return Script.of("w1", "w2")
                .acquired("w1", 1, 10, 1000)
                .fault(History.REVOKES + "by an operator", 15, 16)
                .acquired("w2", 2, 19, 1000)
                .releasing("w2", 2, 30, 1000)
                .released("w2", 2, 31, "RELEASED")
                .releasing("w1", 1, 40, 1000)
                .released("w1", 1, 41, outcome);
    }

    @Test
    void findsAnOverlapWithAnEarlierLongHold() {
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
    void acceptsAGrantWhileTheHolderIsInDoubt() {
        Script doubt = promised().certain("w1", 1, 1000).acquired("w2", 2, 1001, 2000, "TAKEN_OVER");
        assertThat(doubt.check(exclusion)).isEmpty();
        assertThat(doubt.lost("w1", 1, 1500, "TAKEN_OVER").check(exclusion)).isEmpty();
    }

    @Test
    void findsAGrantWhileTheHolderIsCertain() {
        assertThat(promised()
                        .acquired("w2", 2, 1001, 2000, "TAKEN_OVER")
                        .certain("w1", 1, 1002)
                        .check(exclusion))
                .hasSize(1);
    }

    @Test
    void findsAHolderThatIsCertainAgainAfterAGrantToAnother() {
        assertThat(promised()
                        .certain("w1", 1, 900)
                        .acquired("w2", 2, 1001, 2000, "TAKEN_OVER")
                        .releasing("w2", 2, 1100, 2000)
                        .certain("w1", 1, 1200)
                        .check(exclusion))
                .hasSize(1);
    }

    @Test
    void countsTheCertaintyThatAReleaseReports() {
        assertThat(promised()
                        .acquired("w2", 2, 1001, 2000, "TAKEN_OVER")
                        .releasing("w1", 1, 1010, 3000, 1005)
                        .check(exclusion))
                .hasSize(1);
        assertThat(promised()
                        .acquired("w2", 2, 1001, 2000, "TAKEN_OVER")
                        .releasing("w1", 1, 1010, 3000, 999)
                        .check(exclusion))
                .isEmpty();
    }

    @Test
    void countsAKilledHolderWhileItWasCertain() {
        assertThat(promised()
                        .acquired("w2", 2, 98, 2000)
                        .certain("w1", 1, 99)
                        .killed("w1", 100)
                        .check(exclusion))
                .hasSize(1);
        assertThat(promised()
                        .certain("w1", 1, 99)
                        .killed("w1", 100)
                        .acquired("w2", 2, 101, 2000)
                        .check(exclusion))
                .isEmpty();
    }

    @Test
    void judgesAHandedOverHoldByTheTakeoverTimeOfItsGrant() {
        Script handedOver = promised().releasing("w1", 1, 20, 3000, 20).acquired("w1", 2, 21, 3000, "HANDED_OVER");
        assertThat(handedOver
                        .certain("w1", 2, 900)
                        .acquired("w2", 3, 1001, 2000, "TAKEN_OVER")
                        .check(exclusion))
                .isEmpty();
    }

    @Test
    void judgesAHoldWithoutATakeoverTimeByItsLease() {
        assertThat(Script.of("w1", "w2")
                        .promising("w1", 1, 0, 9)
                        .acquired("w1", 1, 10, 3000)
                        .certain("w1", 1, 11)
                        .acquired("w2", 2, 1001, 2000)
                        .releasing("w1", 1, 1500, 3000)
                        .check(exclusion))
                .hasSize(1);
    }

    @Test
    void ignoresAHoldThatWasNeverCertain() {
        Script late =
                promised().certain("w1", 1, 900).promising("w2", 2, 1000, 14).acquired("w2", 2, 15, 3000);
        assertThat(late.check(exclusion)).isEmpty();
        assertThat(late.certain("w2", 2, 16).check(exclusion)).hasSize(1);

        Script backwards = Script.of("w1", "w2")
                .acquired("w1", 2, 10, 20)
                .promising("w2", 1, 1000, 29)
                .acquired("w2", 1, 30, 3000);
        assertThat(backwards.check(order)).isEmpty();
        assertThat(backwards.certain("w2", 1, 31).check(order)).hasSize(1);
    }

    /** A hold that may be taken over 1 s after the end of its holder's connection. */
    private static Script promised() {
        return Script.of("w1", "w2", "w3").promising("w1", 1, 1000, 9).acquired("w1", 1, 10, 3000);
    }

    @Test
    void acceptsATakeoverFromADisconnectedHolder() {
        assertThat(promised()
                        .certain("w1", 1, 500)
                        .fault("mailbox-barred", 400, 1400)
                        .lost("w1", 1, 1500, "TAKEN_OVER")
                        .check(ownership))
                .isEmpty();
        assertThat(promised()
                        .certain("w1", 1, 500)
                        .fault("mailbox-barred", 400, 1400)
                        .releasing("w1", 1, 1500, 3000, 500)
                        .released("w1", 1, 1501, "LOST")
                        .reported("w1", 1, 1501, "TAKEN_OVER")
                        .check(ownership))
                .isEmpty();
    }

    @Test
    void findsATakeoverFromAConnectedHolder() {
        assertThat(promised()
                        .certain("w1", 1, 500)
                        .lost("w1", 1, 1500, "TAKEN_OVER")
                        .check(ownership))
                .hasSize(1);
        assertThat(promised()
                        .certain("w1", 1, 500)
                        .faultOf("w1", "worker-frozen", 500, 1499)
                        .lost("w1", 1, 1500, "TAKEN_OVER")
                        .check(ownership))
                .as("only stopped")
                .hasSize(1);
    }

    @Test
    void findsALockTakenFromACertainHolder() {
        assertThat(promised()
                        .certain("w1", 1, 1499)
                        .fault("mailbox-barred", 400, 1400)
                        .lost("w1", 1, 1500, "OWNER_CHANGED")
                        .check(ownership))
                .hasSize(1);
        assertThat(promised()
                        .certain("w1", 1, 1499)
                        .fault("mailbox-barred", 400, 1400)
                        .releasing("w1", 1, 1500, 3000, 1500)
                        .released("w1", 1, 1501, "LOST")
                        .reported("w1", 1, 1501, "OWNER_CHANGED")
                        .check(ownership))
                .hasSize(1);
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
    void findsEachOrderViolationOnce() {
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
    void ignoresAHoldThatWasNeverValidInTheOrder() {
        assertThat(Script.of("w1", "w2")
                        .acquired("w2", 2, 10, 1000)
                        .releasing("w2", 2, 11, 1000)
                        .acquired("w1", 1, 20, 20)
                        .check(order))
                .isEmpty();
    }

    @Test
    void findsALockTakenFromItsOwner() {
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
    void acceptsALossWhenTheServerForgetsItsData() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .fault(History.FORGETS + "flushall", 200, 210)
                        .lost("w1", 1, 300, "OWNER_CHANGED")
                        .check(ownership))
                .isEmpty();
    }

    @Test
    void acceptsThatAnUnansweredReleaseFindsTheNextOwner() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .fault("reply-dropped", 295, 310)
                        .releasing("w1", 1, 300, 1000)
                        .released("w1", 1, 320, "LOST")
                        .check(ownership))
                .isEmpty();
    }

    @Test
    void findsALossThatIsReportedLateTwiceOrNever() {
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
    void acceptsALateReportToAPausedWorker() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .stalled("w1", 900, 2900)
                        .lost("w1", 1, 2905, "LEASE_EXPIRED")
                        .check(loss))
                .isEmpty();
    }
}
