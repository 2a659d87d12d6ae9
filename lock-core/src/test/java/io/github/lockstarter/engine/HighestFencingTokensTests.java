package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class HighestFencingTokensTests {

    private final HighestFencingTokens highest = new HighestFencingTokens();

    @Test
    void keepKeysWithOneHashCodeApart() {
        highest.saw("Aa", 9);
        assertThat(highest.floor("Aa")).isEqualTo(9);
        assertThat(highest.floor("BB")).isZero();
    }

    @Test
    void keepLongKeysApart() {
        String prefix = "x".repeat(10_000);
        highest.saw(prefix + "a", 9);
        highest.saw(prefix + "a", 7);
        assertThat(highest.floor(prefix + "a")).isEqualTo(9);
        assertThat(highest.floor(prefix + "b")).isZero();
    }

    @Test
    void takeLittleMemoryForLongKeys() {
        long before = used();
        for (int i = 0; i < 8_192; i++) {
            highest.saw(i + "x".repeat(16_384), i);
        }
        assertThat(used() - before).as("bytes").isLessThan(16_000_000);
        assertThat(highest.floor(8_191 + "x".repeat(16_384))).isEqualTo(8_191);
    }

    private static long used() {
        System.gc();
        Runtime memory = Runtime.getRuntime();
        return memory.totalMemory() - memory.freeMemory();
    }

    @Test
    void neverFall() {
        highest.saw("order:42", 9);
        highest.saw("order:42", 7);
        assertThat(highest.floor("order:42")).isEqualTo(9);
    }

    @Test
    void forgetTheKeyThatWasGrantedLongestAgoAndNoneThatIsGrantedAgain() {
        highest.saw("often", 9);
        highest.saw("once", 8);
        for (int i = 0; i < 100_000; i++) {
            highest.saw("other:" + i, i);
            highest.saw("often", 9);
        }
        assertThat(highest.floor("often")).isEqualTo(9);
        assertThat(highest.floor("once")).isZero();
        assertThat(highest.floor("other:99999")).isEqualTo(99_999);
    }
}
