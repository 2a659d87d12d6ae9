package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class FencingFloorsTests {

    private final FencingFloors floors = new FencingFloors();

    @Test
    void keepKeysWithOneHashCodeApart() {
        floors.saw("Aa", 9);
        assertThat(floors.floor("Aa")).isEqualTo(9);
        assertThat(floors.floor("BB")).isZero();
    }

    @Test
    void neverFall() {
        floors.saw("order:42", 9);
        floors.saw("order:42", 7);
        assertThat(floors.floor("order:42")).isEqualTo(9);
    }

    @Test
    void forgetTheKeyThatWasGrantedLongestAgoAndNoneThatIsGrantedAgain() {
        floors.saw("often", 9);
        floors.saw("once", 8);
        for (int i = 0; i < 100_000; i++) {
            floors.saw("other:" + i, i);
            floors.saw("often", 9);
        }
        assertThat(floors.floor("often")).isEqualTo(9);
        assertThat(floors.floor("once")).isZero();
        assertThat(floors.floor("other:99999")).isEqualTo(99_999);
    }
}
