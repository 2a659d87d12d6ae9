package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.demo.experiment.instance.InstanceEvent;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

class RunTimelineTests {

    private static final long START = 5_000_000_000L;

    private final List<RunEvent> events = new ArrayList<>();
    private final RunTimeline timeline = new RunTimeline("run-1", START, events::add);

    @Test
    void alignsSectionsOfAllInstancesOnOneTimeAxis() {
        timeline.reported("A", held(3, 7_500_000, "run-1"));
        timeline.reported("B", held(3, 9_000_000, "run-1"));
        timeline.reported("A", released(3, 8_250_000, "written"));

        assertThat(events)
                .containsExactly(
                        new RunEvent.Held("A", "A-3", 7.5, 17L, "waited", 2.5),
                        new RunEvent.Held("B", "B-3", 9.0, 17L, "waited", 2.5),
                        new RunEvent.Released("A", "A-3", 8.25, 4, 5, "written"));
    }

    @Test
    void omitsSectionsOfOtherRuns() {
        timeline.reported("A", held(1, 1_000_000, "run-0"));
        timeline.reported("A", new InstanceEvent.Lost(START, 1, "run-0", 17, "lease_expired"));
        timeline.reported("A", new InstanceEvent.Waiting(START, "run-0", 3));

        assertThat(events).isEmpty();
        assertThat(timeline.holder()).isEmpty();
    }

    @Test
    void treatsTheLatestSectionAsTheHolder() {
        timeline.reported("B", held(1, 2_000_000, "run-1"));
        timeline.reported("A", held(1, 1_000_000, "run-1"));
        assertThat(timeline.holder()).contains("B");

        timeline.killed("B");
        assertThat(timeline.holder()).contains("A");
        assertThat(events)
                .filteredOn(RunEvent.Released.class::isInstance)
                .first()
                .extracting("id", "outcome")
                .containsExactly("B-1", "failed");

        timeline.reported("A", released(1, 3_000_000, "refused"));
        assertThat(timeline.holder()).isEmpty();
        assertThat(timeline.refused()).isEqualTo(1);
    }

    @Test
    void showsWhichInstanceIsPaused() {
        CompletableFuture<String> halted = timeline.next(InstanceEvent.Halted.class);

        timeline.reported("A", new InstanceEvent.Halted(START, 1, "run-0"));
        assertThat(halted).isNotDone();

        timeline.reported("B", new InstanceEvent.Halted(START, 1, "run-1"));
        timeline.reported("A", new InstanceEvent.Halted(START, 1, "run-1"));
        assertThat(halted).isCompletedWithValue("B");
    }

    private static InstanceEvent held(long id, long at, String page) {
        return new InstanceEvent.Held(START + at, id, page, 17L, "waited", 2.5);
    }

    private static InstanceEvent released(long id, long at, String outcome) {
        return new InstanceEvent.Released(START + at, id, "run-1", 4, 5, outcome);
    }
}
