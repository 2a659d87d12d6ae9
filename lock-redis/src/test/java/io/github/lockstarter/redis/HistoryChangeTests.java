package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class HistoryChangeTests {

    @ParameterizedTest
    @CsvSource(
            emptyValue = "",
            value = {
                "x:1:first, x:2:grace, DATA_LOST",
                "x:1:grace, x:2:grace, DATA_LOST",
                "x:2:grace, x:1:grace, CLOCK_SET_BACK",
                "x:1:first, y:2:grace, REPLACED",
                "x:1:first, xy:2:grace, REPLACED",
                "x, y:2:grace, REPLACED",
                "x, x:2:grace, UNSEEN",
                "'', x:2:grace, UNSEEN",
                "-, x:2:grace, UNSEEN"
            })
    void isReadFromTheMarkersBeforeAndAfter(String known, String other, HistoryChange change) {
        assertThat(HistoryChange.between(known, other)).isEqualTo(change);
    }
}
