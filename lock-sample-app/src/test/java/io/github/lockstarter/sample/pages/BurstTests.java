package io.github.lockstarter.sample.pages;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class BurstTests {

    @Test
    void losesNothingWhenEveryViewWasCounted() {
        assertThat(Burst.of("home", 200, 7, 207)).isEqualTo(new Burst("home", 200, 207, 207, 0));
    }

    @Test
    void losesTheViewsThatOverwroteEachOther() {
        assertThat(Burst.of("home", 200, 0, 31)).isEqualTo(new Burst("home", 200, 200, 31, 169));
    }
}
