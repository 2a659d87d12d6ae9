package io.github.lockstarter.kit.check;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.kit.event.EventKind;
import org.junit.jupiter.api.Test;

/** The checks of waits, signals, renewals, handovers and numbers: each finds only the planted violation. */
class EventChecksTests {

    @Test
    void findsAWaitThatIsTooLong() {
        WaitCheck check = new WaitCheck();
        assertThat(Script.of("w1").refused("w1", 0, 1000, 1040).check(check)).isEmpty();
        assertThat(Script.of("w1").refused("w1", 0, 1000, 1600).check(check)).hasSize(1);
        assertThat(Script.of("w1")
                        .refused("w1", 0, 1000, 1600)
                        .fault("server-paused", 900, 1300)
                        .check(check))
                .as("within the command timeout")
                .isEmpty();
        assertThat(Script.of("w1")
                        .refused("w1", 0, 1000, 2500)
                        .fault("server-paused", 900, 1300)
                        .check(check))
                .hasSize(1);
    }

    @Test
    void findsAKeyThatStaysBlockedAfterADeath() {
        ProgressCheck check = new ProgressCheck();
        Script death = Script.of("w1", "w2").acquired("w1", 1, 10, 1000).killed("w1", 100);
        assertThat(death.refused("w2", 150, 1000, 1150).check(check)).isEmpty();
        assertThat(death.refused("w2", 4000, 1000, 5000).check(check)).hasSize(1);
        assertThat(death.acquired("w2", 2, 1200, 2200).check(check)).isEmpty();
    }

    @Test
    void findsALockThatIsNotTakenOverAfterADeath() {
        TakeoverCheck check = new TakeoverCheck();
        assertThat(death(400).refused("w2", 50, 1000, 1200).check(check)).isEmpty();
        assertThat(death(400).refused("w2", 50, 1000, 1400).check(check)).hasSize(1);
        assertThat(death(400)
                        .refused("w2", 50, 1000, 900)
                        .acquired("w2", 2, 1000, 2000, "TAKEN_OVER")
                        .refused("w3", 1300, 0, 1400)
                        .check(check))
                .as("another worker has it")
                .isEmpty();
    }

    @Test
    void measuresATakeoverFromTheFirstAttempt() {
        TakeoverCheck check = new TakeoverCheck();
        assertThat(death(400).refused("w2", 1390, 0, 1400).check(check))
                .as("no earlier attempt")
                .isEmpty();
        assertThat(death(400)
                        .refused("w2", 110, 0, 120)
                        .refused("w2", 1390, 0, 1400)
                        .check(check))
                .hasSize(1);
    }

    @Test
    void ignoresTakeoversThatAreDisabledOrDisturbed() {
        TakeoverCheck check = new TakeoverCheck();
        assertThat(death(0).refused("w2", 50, 1000, 1400).check(check)).isEmpty();
        assertThat(death(400)
                        .fault("server-paused", 900, 910)
                        .refused("w2", 50, 1000, 1400)
                        .check(check))
                .isEmpty();
        assertThat(death(400)
                        .faultOf("w1", "worker-killed", 99, 1400)
                        .refused("w2", 50, 1000, 2200)
                        .check(check))
                .as("the death itself")
                .hasSize(1);
        assertThat(death(400)
                        .acquired("w3", 2, 50, 3000, "TAKEN_OVER")
                        .refused("w2", 50, 1000, 1400)
                        .check(check))
                .as("taken over before")
                .isEmpty();
    }

    @Test
    void measuresTheTimeUntilATakeover() {
        assertThat(TakeoverCheck.millisAfterDeath(death(400)
                        .acquired("w2", 2, 50, 650, 2000, "TAKEN_OVER")
                        .history()))
                .containsExactly(550L);
        assertThat(TakeoverCheck.millisAfterDeath(death(400)
                        .refused("w3", 90, 100, 190)
                        .acquired("w2", 2, 350, 650, 2000, "TAKEN_OVER")
                        .history()))
                .as("another worker wanted it")
                .containsExactly(550L);
        assertThat(TakeoverCheck.millisAfterDeath(death(400)
                        .acquired("w2", 2, 350, 650, 2000, "TAKEN_OVER")
                        .history()))
                .as("no worker wanted it")
                .isEmpty();
        assertThat(TakeoverCheck.millisAfterDeath(
                        death(400).acquired("w2", 2, 50, 650, 2000, "WAITED").history()))
                .isEmpty();
    }

    /** A holder dies at 100. */
    private static Script death(long takeover) {
        return Script.of("w1", "w2", "w3")
                .promising("w1", 1, takeover, 9)
                .acquired("w1", 1, 10, 3000)
                .killed("w1", 100);
    }

    @Test
    void findsMoreSignalsThanReleases() {
        WakeUpCheck check = new WakeUpCheck();
        Script one = Script.of("w1", "w2").sent(EventKind.FREEING, "w1", 1, 10).sent(EventKind.SIGNALLED, "w2", 0, 11);
        assertThat(one.check(check)).isEmpty();
        assertThat(one.sent(EventKind.SIGNALLED, "w1", 0, 12).check(check)).hasSize(1);
    }

    @Test
    void findsARenewalAfterTheRelease() {
        RenewalOrderCheck check = new RenewalOrderCheck();
        Script order = Script.of("w1")
                .sent(EventKind.RENEWING, "w1", 1, 10)
                .sent(EventKind.FREEING, "w1", 1, 20)
                .sent(EventKind.RENEWING, "w1", 2, 30);
        assertThat(order.check(check)).isEmpty();
        assertThat(order.sent(EventKind.RENEWING, "w1", 1, 21).check(check)).hasSize(1);
    }

    @Test
    void findsMoreThan16HandOvers() {
        HandOverCheck check = new HandOverCheck();
        assertThat(row(18, 1).check(check)).isEmpty();
        assertThat(row(19, 1).check(check)).hasSize(1);
    }

    @Test
    void findsHandOversForTooLong() {
        HandOverCheck check = new HandOverCheck();
        assertThat(row(2, 20).check(check)).isEmpty();
        assertThat(row(5, 150).check(check)).hasSize(1);
    }

    @Test
    void acceptsAnyNumberOfHandOversWhileNobodyElseWaits() {
        Script alone = Script.of("w1").granted("w1", 0, 10);
        for (int i = 0; i < 60; i++) {
            alone.acquired("w1", i + 2, 30 + i, 2000, "HANDED_OVER");
        }
        assertThat(alone.check(new HandOverCheck())).isEmpty();
    }

    @Test
    void countsHandOversFromTheNoticeOn() {
        Script noticed = Script.of("w1").granted("w1", 0, 10);
        for (int i = 0; i < 60; i++) {
            noticed.acquired("w1", i + 2, 30 + i, 2000, "HANDED_OVER");
        }
        assertThat(noticed.sent(EventKind.WANTED, "w1", 0, 40).check(new HandOverCheck()))
                .hasSize(1);
    }

    /** So many handovers at these intervals, from the moment on at which the notice counts. */
    private static Script row(int handovers, int millis) {
        Script row = Script.of("w1").granted("w1", 1, 10);
        for (int i = 0; i < handovers; i++) {
            row.acquired("w1", i + 2, 21 + (long) i * millis, 2000, "HANDED_OVER");
        }
        return row.sent(EventKind.FREEING, "w1", 1, 21 + (long) handovers * millis);
    }

    @Test
    void findsALostFencedIncrement() {
        FencedWritesCheck check = new FencedWritesCheck();
        assertThat(Script.of("w1").resource("fenced", 7, 7, 10).check(check)).isEmpty();
        assertThat(Script.of("w1").resource("fenced", 6, 7, 10).check(check)).hasSize(1);
        assertThat(Script.of("w1").resource("unfenced", 6, 7, 10).check(check)).isEmpty();
    }

    @Test
    void findsAConfirmedWriteThatTheResourceLacks() {
        assertThat(Script.of("w1")
                        .acquired("w1", 1, 10, 1000)
                        .releasing("w1", 1, 20, 1000)
                        .resource("fenced", 0, 0, 30)
                        .check(new FencedWritesCheck()))
                .hasSize(1);
    }

    @Test
    void reportsViolationsThatTheWorkerObserved() {
        assertThat(Script.of("w1").anomaly("I8 key lock:{k}", 10).check(new AnomalyCheck()))
                .extracting(Violation::invariant, Violation::description)
                .containsExactly(org.assertj.core.groups.Tuple.tuple("I8", "w1: key lock:{k}"));
    }
}
