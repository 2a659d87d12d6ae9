package io.github.lockstarter.etcd;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.protobuf.ByteString;
import io.github.lockstarter.LockHolder;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeoverCondition;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockEntryTests {

    private static final LockToken TOKEN =
            new LockToken("0123456789abcdef", 7, "http-1 a", 1_700_000_000_123L, 1_000, TakeoverCondition.NONE);

    private final LockEntry held =
            new LockEntry(Optional.of(TOKEN.value()), 123_456_789_012L, 1024, Duration.ofMillis(1_500));

    @Test
    void readsTheTextThatItWrites() {
        LockEntry kept = held.keptFor(Duration.ofMillis(17));

        assertThat(LockEntry.of(held.stored())).hasValue(held);
        assertThat(LockEntry.of(kept.stored())).hasValue(kept);
        assertThat(kept.isKept()).isTrue();
        assertThat(kept.holder()).isEmpty();
    }

    @Test
    void namesTheHolderAndItsInstance() {
        assertThat(held.instanceId()).hasValue("0123456789abcdef");
        assertThat(held.holder())
                .hasValue(new LockHolder(
                        "01234567", Optional.of("http-1 a"), Optional.of(Instant.ofEpochMilli(1_700_000_000_123L))));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "anything", "1 held 0 1 5", "1 kept 0 1 5 a:1", "2 held 0 1 5 a:1", "1 held x 1 5 a:1"})
    void refusesOtherTexts(String value) {
        assertThat(LockEntry.of(ByteString.copyFromUtf8(value))).isEmpty();
    }
}
