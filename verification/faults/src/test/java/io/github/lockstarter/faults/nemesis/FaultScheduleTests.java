package io.github.lockstarter.faults.nemesis;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.faults.nemesis.Fault.Lane;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class FaultScheduleTests {

    private static final List<Fault> ALL = FaultCatalogue.all();

    @Test
    void derivesTheSameScheduleFromTheSameSeed() {
        assertThat(first(50, 42)).isEqualTo(first(50, 42)).isNotEqualTo(first(50, 43));
    }

    @Test
    void usesEachFaultOnceBeforeAnyRepeats() {
        List<Fault> lane =
                ALL.stream().filter(fault -> fault.lane() == Lane.SERVER).toList();
        List<Fault> drawn =
                first(lane.size(), 42).stream().map(PlannedFault::fault).toList();
        assertThat(drawn).containsExactlyInAnyOrderElementsOf(lane);
    }

    @Test
    void respectsTheConstraintsOfEachFault() {
        assertThat(first(200, 42)).allSatisfy(plan -> assertThat(plan.duration())
                .isBetween(plan.fault().terms().shortest(), plan.fault().terms().longest()));
    }

    @Test
    void namesEachFaultOnce() {
        assertThat(ALL).extracting(Fault::name).doesNotHaveDuplicates();
    }

    private static List<PlannedFault> first(int count, long seed) {
        FaultSchedule schedule = new FaultSchedule(ALL, Lane.SERVER, FaultSchedule.Pace.DENSE, seed);
        return Stream.generate(schedule::next).limit(count).toList();
    }
}
