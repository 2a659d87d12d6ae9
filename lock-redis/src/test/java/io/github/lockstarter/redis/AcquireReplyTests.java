package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.redis.AcquireScript.AcquireReply;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AcquireReplyTests {

    private static final OptionalLong NO_TIME = OptionalLong.empty();
    private static final long MICROS = 1_700_000_000_000_000L;

    @Test
    void readsASingleNumberAsAGrantWithoutWaiters() {
        assertThat(AcquireReply.of(MICROS))
                .isEqualTo(new AcquireReply(AcquireReply.GRANTED, MICROS, 0, "", "", "", NO_TIME, 0, List.of()));
    }

    @Test
    void readsThreeNumbers() {
        assertThat(AcquireReply.of(List.of(0L, -1L, 7L)))
                .isEqualTo(new AcquireReply(AcquireReply.CONTENDED, -1, 7, "", "", "", NO_TIME, 0, List.of()));
    }

    @Test
    void readsTheMarkerTheHolderAndTheMarkToAcknowledge() {
        assertThat(AcquireReply.of(List.of(0L, 900L, 7L, "?:1", "3f2a91c0|17 main|1000+", "3f2a91c0 17")))
                .isEqualTo(new AcquireReply(
                        AcquireReply.CONTENDED,
                        900,
                        7,
                        "?:1",
                        "3f2a91c0|17 main|1000+",
                        "3f2a91c0 17",
                        NO_TIME,
                        0,
                        List.of()));
    }

    @Test
    void readsTheTimeAtTheEnd() {
        assertThat(AcquireReply.of(List.of(0L, 900L, 7L, "", "", "", MICROS)))
                .isEqualTo(new AcquireReply(
                        AcquireReply.CONTENDED, 900, 7, "", "", "", OptionalLong.of(MICROS), 0, List.of()));
    }

    @Test
    void readsOwnersThatMustStillBeNotified() {
        assertThat(AcquireReply.of(List.of(0L, 900L, 7L, "", "", "", "", 0L, "a b")))
                .isEqualTo(new AcquireReply(AcquireReply.CONTENDED, 900, 7, "", "", "", NO_TIME, 0, List.of("a", "b")));
    }

    @Test
    void refusesAnUnknownReply() {
        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> AcquireReply.of("OK"));
        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> AcquireReply.of(List.of(1L, "x")));
        assertThatExceptionOfType(RuntimeException.class).isThrownBy(() -> AcquireReply.of(List.of(1L, 2L, "x")));
    }
}
