package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.Test;

class ServerDiagnosisTests {

    private static final Instant SENT = Instant.ofEpochSecond(1_000);

    /** The server is asked in the middle of the round trip. */
    @Test
    void comparesTheClockOfTheServerWithThatOfThisJvm() {
        assertThat(ServerDiagnosis.clock(List.of("1000", "52000"), SENT, Duration.ofMillis(4)))
                .isEqualTo("50ms ahead of this JVM's, by a round trip of 4ms");
        assertThat(ServerDiagnosis.clock(List.of("998", "500000"), SENT, Duration.ofSeconds(1)))
                .isEqualTo("2s behind this JVM's, by a round trip of 1s");
    }
}
