package io.github.lockstarter.demo.gallery.exhibit;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.gallery.caller.LockKind;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class RoundPlanTests {

    @Test
    void choosesTheSameFaultsForBothLocksWithTheSameSeed() {
        RoundPlan broken = RoundPlan.of(Exhibit.GET_DEL, true, 1, 2026);
        RoundPlan ours = RoundPlan.of(Exhibit.GET_DEL, false, 2, 2026);

        assertThat(broken.places()).isEqualTo(ours.places()).containsExactlyInAnyOrder(0, 1, 2);
        assertThat(broken.key()).isEqualTo(ours.key());
        assertThat(pauses(broken)).isEqualTo(pauses(ours));
        assertThat(broken.lock()).isEqualTo(LockKind.GET_DEL);
        assertThat(ours.lock()).isEqualTo(LockKind.STARTER);
    }

    @Test
    void choosesOtherFaultsWithAnotherSeed() {
        assertThat(LongStream.range(0, 50).mapToObj(seed -> RoundPlan.of(Exhibit.SETNX, true, 1, seed)))
                .extracting(RoundPlan::places)
                .contains(List.of(0, 1, 2), List.of(2, 1, 0), List.of(1, 0, 2));
        assertThat(RoundPlan.of(Exhibit.SETNX, true, 1, 1).key())
                .isNotEqualTo(RoundPlan.of(Exhibit.SETNX, true, 1, 2).key());
    }

    private static List<Duration> pauses(RoundPlan plan) {
        return IntStream.range(0, 10).mapToObj(i -> plan.nextPause()).toList();
    }
}
