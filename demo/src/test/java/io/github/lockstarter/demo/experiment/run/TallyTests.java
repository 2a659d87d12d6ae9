package io.github.lockstarter.demo.experiment.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TallyTests {

    private final Tally tally = new Tally();

    @Test
    void countsByInstanceAlsoThoseThatAnsweredNothing() {
        tally.answered(new Tally.Answer("B", 1_000_000));
        tally.answered(new Tally.Answer("A", 2_000_000));
        tally.answered(new Tally.Answer("B", 3_000_000));
        tally.retried();

        assertThat(tally.perInstance(List.of("A", "B", "C"))).isEqualTo(Map.of("A", 1, "B", 2, "C", 0));
        assertThat(tally.answered()).isEqualTo(3);
        assertThat(tally.retries()).isEqualTo(1);
        assertThat(tally.latencies().percentile(50)).isEqualTo(2);
    }
}
