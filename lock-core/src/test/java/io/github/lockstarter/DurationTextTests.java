package io.github.lockstarter;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class DurationTextTests {

    @ParameterizedTest
    @CsvSource({"0,0ms", "1,1ms", "968,968ms", "1000,1s", "1182,1.2s", "11712,11.7s", "30000,30s", "90000,90s"})
    void roundsMeasuredTimesToTenthsOfASecond(long millis, String text) {
        assertThat(DurationText.of(Duration.ofMillis(millis))).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "PT0S,0ms",
        "PT-0.001S,-1ms",
        "PT-1S,-1s",
        "PT0.0005S,0.5ms",
        "PT0.02S,20ms",
        "PT1.5S,1.5s",
        "PT30.001S,30.001s",
        "PT30S,30s",
        "PT10M,600s",
        "P365D,365d"
    })
    void showsConfiguredTimesAsTheyAre(Duration configured, String text) {
        assertThat(DurationText.exactly(configured)).isEqualTo(text);
    }

    @Test
    void showsEveryDuration() {
        for (Duration extreme : List.of(Duration.ofSeconds(Long.MIN_VALUE), Duration.ofSeconds(Long.MAX_VALUE))) {
            assertThat(DurationText.of(extreme)).isEqualTo(extreme.toSeconds() + "s");
            assertThat(DurationText.exactly(extreme)).isEqualTo(extreme.toSeconds() + "s");
        }
    }

    @Test
    void showsTheTimesOfARequestInTheSameWay() {
        assertThat(catchThrowable(() -> LockRequest.of("order:42").maxWait(Duration.ofMillis(-1))))
                .hasMessage("maxWait of lock 'order:42' is -1ms; it must be between 0ms and 365d");
    }
}
