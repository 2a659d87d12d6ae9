package io.github.lockstarter.benchmarks.measure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import org.junit.jupiter.api.Test;

class FairnessTests {

    @Test
    void isOneWhenAllGetEqualShares() {
        assertThat(Fairness.jain(7, 7, 7)).isEqualTo(1);
    }

    @Test
    void isOneNthWhenOneOfNGetsEverything() {
        assertThat(Fairness.jain(0, 0, 9, 0)).isEqualTo(0.25);
    }

    @Test
    void liesBetweenForUnequalShares() {
        assertThat(Fairness.jain(1, 3)).isCloseTo(0.8, within(1e-9));
    }

    @Test
    void isOneWhenNobodyGetsAnything() {
        assertThat(Fairness.jain(0, 0)).isEqualTo(1);
    }
}
