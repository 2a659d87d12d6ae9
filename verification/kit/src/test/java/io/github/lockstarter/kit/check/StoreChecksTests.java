package io.github.lockstarter.kit.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.event.EventKind;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Checks of a store that declares that it cannot do everything. */
class StoreChecksTests {

    private static final String TO_ALL = "TO_ALL";
    private static final long SESSION = 2000;

    @Test
    void doesNotRequireSingleWakeUpsFromAStoreThatWakesAllOrNone() {
        for (String signals : List.of(TO_ALL, "NONE")) {
            assertThat(twoWoken().store(signals, 0, 0).check(new WakeUpCheck())).isEmpty();
        }
        assertThat(twoWoken().store(History.WAKES_IN_ORDER, 0, 0).check(new WakeUpCheck()))
                .hasSize(1);
    }

    @Test
    void allowsAWakeUpAtTheEndOfASession() {
        Script ended =
                Script.of("w1", "w2").sent(EventKind.GRANTED, "w1", 1, 10).sent(EventKind.SIGNALLED, "w2", 0, 20);

        assertThat(ended.store(History.WAKES_IN_ORDER, 0, 0).check(new WakeUpCheck()))
                .hasSize(1);
        assertThat(ended.store(History.WAKES_IN_ORDER, 2000, 0).check(new WakeUpCheck()))
                .isEmpty();
        assertThat(ended.sent(EventKind.SIGNALLED, "w3", 0, 21)
                        .store(History.WAKES_IN_ORDER, 2000, 0)
                        .check(new WakeUpCheck()))
                .hasSize(1);
    }

    @Test
    void allowsAWakeUpByAnAttemptThatLeaves() {
        Script left =
                Script.of("w1", "w2").sent(EventKind.ATTEMPTING, "w1", 1, 10).sent(EventKind.SIGNALLED, "w2", 0, 20);

        assertThat(left.store(History.WAKES_IN_ORDER, SESSION, 0).check(new WakeUpCheck()))
                .isEmpty();
        assertThat(left.sent(EventKind.SIGNALLED, "w3", 0, 21)
                        .store(History.WAKES_IN_ORDER, SESSION, 0)
                        .check(new WakeUpCheck()))
                .hasSize(1);
    }

    private static Script twoWoken() {
        return Script.of("w1", "w2", "w3")
                .sent(EventKind.FREEING, "w1", 1, 10)
                .sent(EventKind.SIGNALLED, "w2", 0, 20)
                .sent(EventKind.SIGNALLED, "w3", 0, 21);
    }

    @Test
    void findsNoWorkerThatWasGrantedALockInBetween() {
        Script connected = Script.of("w1").acquired("w1", 1, 8_000, 9_000).failed("w1", 15_000);

        assertThat(connected.check(new RecoveryCheck())).isEmpty();
    }

    @Test
    void allowsACommandTimeoutForAStoreThatAnswersLate() {
        WaitCheck check = new WaitCheck();
        Script refused = Script.of("w1").refused("w1", 0, 1000, 1600);
        assertThat(refused.check(check)).hasSize(1);
        assertThat(refused.answeredLate("w2", 1100, 1600).check(check))
                .as("another worker")
                .hasSize(1);
        assertThat(refused.answeredLate("w1", 1100, 1600).check(check)).isEmpty();
        assertThat(Script.of("w1")
                        .answeredLate("w1", 1100, 2500)
                        .refused("w1", 0, 1000, 2500)
                        .check(check))
                .as("longer than the command timeout")
                .hasSize(1);
    }

    @Test
    void waitsForTheSessionOfAKilledHolder() {
        ProgressCheck check = new ProgressCheck();
        assertThat(killed().store(TO_ALL, 0, 0).check(check)).hasSize(1);
        assertThat(killed().store(TO_ALL, 5000, 0).check(check)).isEmpty();
    }

    @Test
    void waitsForLeasesThatANewLeaderRestarts() {
        ProgressCheck check = new ProgressCheck();
        Script disturbed = killed().fault("leader-killed", 300, 400);
        assertThat(disturbed.check(check)).hasSize(1);
        assertThat(disturbed.store(TO_ALL, 0, 3000).check(check)).isEmpty();
    }

    /** Found contended 4.6 s after the death. */
    private static Script killed() {
        return Script.of("w1", "w2")
                .acquired("w1", 1, 10, 1000)
                .killed("w1", 100)
                .refused("w2", 4000, 700, 4700);
    }

    @Test
    void reportsAStoreThatDoesNotWorkAgainAfterAFault() {
        RecoveryCheck check = new RecoveryCheck();
        Script stuck = Script.of("w1", "w2")
                .failed("w1", 1000)
                .failed("w2", 1000)
                .acquired("w2", 1, 9000, 11_000)
                .failed("w2", 15_000)
                .failed("w1", 11_000)
                .refused("w1", 11_000, 0, 15_000);
        assertThat(stuck.check(check)).isEmpty();
        stuck.failed("w1", 15_000).failed("w1", 15_100);
        assertThat(stuck.check(check)).hasSize(1);
        assertThat(stuck.fault("server-paused", 1500, 7000).check(check)).isEmpty();
    }

    @Test
    void usesTheSessionTimeoutAsTakeoverTime() {
        TakeoverCheck check = new TakeoverCheck();
        Script killed = Script.of("w1", "w2")
                .promising("w1", 1, 400, 10)
                .acquired("w1", 1, 10, 2000)
                .certain("w1", 1, 90)
                .killed("w1", 100)
                .refused("w2", 50, 1000, 1400);
        assertThat(killed.check(check)).hasSize(1);
        assertThat(killed.store(History.WAKES_IN_ORDER, SESSION, 0).check(check))
                .isEmpty();
    }

    @Test
    void acceptsAnOverlapUntilTheHolderLearnsThatAnOperatorEndedItsSession() {
        ExclusionCheck check = new ExclusionCheck();
        assertThat(overlap().lost("w1", 1, 700, "OWNER_CHANGED").check(check)).hasSize(1);
        assertThat(revoked(overlap()).lost("w1", 1, 700, "OWNER_CHANGED").check(check))
                .isEmpty();
        assertThat(revoked(overlap())
                        .releasing("w1", 1, 700, 2000, 600)
                        .released("w1", 1, 710, "RELEASED")
                        .check(check))
                .as("it had the lock until then")
                .hasSize(1);
        assertThat(revoked(overlap())
                        .fault("link-cut", 705, 708)
                        .releasing("w1", 1, 700, 2000, 600)
                        .released("w1", 1, 710, "RELEASED")
                        .check(check))
                .as("the release may have been sent twice")
                .isEmpty();
        assertThat(overlap()
                        .fault(History.REVOKES + "session-ended", 300, 705)
                        .releasing("w1", 1, 700, 2000, 600)
                        .released("w1", 1, 710, "RELEASED")
                        .check(check))
                .as("the end of the session has broken the connection of the release")
                .isEmpty();
        assertThat(revoked(overlap())
                        .fault(History.FORGETS + "crash", 400, 500)
                        .releasing("w1", 1, 700, 2000, 600)
                        .released("w1", 1, 710, "RELEASED")
                        .check(check))
                .as("the store may have forgotten that it was taken away")
                .isEmpty();
    }

    @Test
    void acceptsTheLossOfALockWhoseSessionAnOperatorEnded() {
        OwnershipCheck check = new OwnershipCheck();
        assertThat(overlap().lost("w1", 1, 700, "OWNER_CHANGED").check(check)).hasSize(1);
        assertThat(revoked(overlap()).lost("w1", 1, 700, "OWNER_CHANGED").check(check))
                .isEmpty();
    }

    @Test
    void acceptsThatAStoppedWorkerLosesItsSession() {
        OwnershipCheck check = new OwnershipCheck();
        Script stopped = Script.of("w1")
                .promising("w1", 1, SESSION, 10)
                .acquired("w1", 1, 10, 9000)
                .certain("w1", 1, 100)
                .faultOf("w1", "worker-frozen", 110, 5000)
                .lost("w1", 1, 5100, "TAKEN_OVER");
        assertThat(stopped.check(check)).hasSize(1);
        assertThat(stopped.store(History.WAKES_IN_ORDER, SESSION, 0).check(check))
                .isEmpty();
    }

    /** The first holder is certain until 600, and the second one has the lock from 350 on. */
    private static Script overlap() {
        return Script.of("w1", "w2")
                .store(History.WAKES_IN_ORDER, SESSION, 0)
                .promising("w1", 1, SESSION, 10)
                .acquired("w1", 1, 10, 2000)
                .certain("w1", 1, 600)
                .promising("w2", 2, SESSION, 340)
                .acquired("w2", 2, 350, 2350)
                .certain("w2", 2, 800);
    }

    private static Script revoked(Script script) {
        return script.fault(History.REVOKES + "session-ended", 300, 320);
    }
}
