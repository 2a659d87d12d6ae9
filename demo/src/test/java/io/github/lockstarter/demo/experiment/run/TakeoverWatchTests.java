package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.run.RunEvent.Held;
import io.github.lockstarter.demo.experiment.run.RunEvent.Released;
import io.github.lockstarter.demo.experiment.run.TakeoverWatch.Finding;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class TakeoverWatchTests {

    private final List<Finding> findings = new ArrayList<>();
    private final TakeoverWatch afterKill = TakeoverWatch.ofKilled("A", 1_000, findings::add);
    private final TakeoverWatch afterStop = TakeoverWatch.ofStopped("A", 1_000, findings::add);

    private static Held held(String instance, double from, String path) {
        return new Held(instance, instance + "-" + from, from, 17L, path, 2.5);
    }

    private static Released released(String instance, double to) {
        return new Released(instance, instance + "-1", to, 4, 5, "written");
    }

    @Test
    void reportsWhoTookOverTheLockOfAKilledHolderAndWhen() {
        afterKill.accept(held("A", 999, "waited"));
        afterKill.accept(released("A", 1_000));
        afterKill.accept(held("B", 2_270, "taken_over"));
        afterKill.accept(held("C", 2_300, "waited"));

        assertThat(findings)
                .containsExactly(new Finding(
                        "next-owner", "B", "Instance B took the lock over 1.3 s after instance A was killed"));
    }

    @Test
    void reportsWhoAcquiredAfterTheLeaseOfAKilledHolder() {
        afterKill.accept(held("B", 6_012, "waited"));

        assertThat(findings)
                .containsExactly(
                        new Finding("next-owner", "B", "Instance B had the lock 5.0 s after instance A was killed"));
    }

    /** Red where the next owner counts although it began after the stopped one had ended. */
    @Test
    void reportsThatAStoppedHolderKeptTheLock() {
        afterStop.accept(released("B", 999));
        afterStop.accept(held("B", 4_105, "waited"));
        assertThat(findings).isEmpty();

        afterStop.accept(released("A", 4_100));
        afterStop.accept(released("A", 4_150));

        assertThat(findings)
                .containsExactly(
                        new Finding(
                                "kept-lock",
                                "A",
                                "Instance A kept the lock: no other instance had it for the 3.1 s until it continued and wrote"));
    }

    @Test
    void reportsThatAStoppedHolderLostTheLock() {
        afterStop.accept(held("B", 6_003, "waited"));
        afterStop.accept(released("B", 6_004));
        assertThat(findings).isEmpty();

        afterStop.accept(released("A", 9_100));

        assertThat(findings)
                .containsExactly(
                        new Finding("next-owner", "B", "Instance B had the lock 5.0 s after instance A was paused"));
    }

    /** Its lease was over, and the next owner is another request of the same instance. */
    @Test
    void doesNotReportThatAHolderWithARefusedWriteKeptTheLock() {
        afterStop.accept(held("A", 9_050, "waited"));

        afterStop.accept(new Released("A", "A-1", 9_100, 4, 4, "refused"));

        assertThat(findings).isEmpty();
    }

    @Test
    void reportsNothingWithoutALock() {
        afterKill.accept(new Held("B", "B-1", 2_000, null, null, null));

        assertThat(findings).isEmpty();
    }
}
