package io.github.lockstarter.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.nio.ByteBuffer;
import org.junit.jupiter.api.Test;

class AcquireOutputTests {

    private final AcquireOutput output = new AcquireOutput();

    @Test
    void takesABareNumberForAGrantThatNobodyWaitsFor() {
        output.set(1_700_000_000_000_000L);
        assertThat(output.get()).isEqualTo(new AcquireReply(AcquireReply.GRANTED, 1_700_000_000_000_000L, 0, ""));
    }

    @Test
    void takesThreeNumbersAsTheyAre() {
        output.multi(3);
        output.set(0);
        output.set(-1);
        assertThat(output.get()).isNull();
        output.set(7);
        assertThat(output.get()).isEqualTo(new AcquireReply(AcquireReply.CONTENDED, -1, 7, ""));
    }

    @Test
    void takesAMarkerAfterThreeNumbers() {
        output.multi(4);
        output.set(2);
        output.set(1500);
        output.set(0);
        output.set(ByteBuffer.wrap(new byte[] {'?', ':', '1'}));
        assertThat(output.get()).isEqualTo(new AcquireReply(AcquireReply.RECOVERING, 1500, 0, "?:1"));
    }

    @Test
    void hasNoReplyWhenTextComesTooEarly() {
        output.multi(4);
        output.set(1);
        output.set(ByteBuffer.wrap(new byte[] {'x'}));
        assertThat(output.get()).isNull();
    }

    @Test
    void hasNoReplyWhenTextComes() {
        output.set(ByteBuffer.wrap(new byte[] {'O', 'K'}));
        assertThat(output.get()).isNull();
        output.set((ByteBuffer) null);
        assertThat(output.get()).isNull();
    }

    @Test
    void refusesAFourthNumber() {
        output.multi(4);
        output.set(1);
        output.set(2);
        output.set(3);
        assertThatExceptionOfType(IndexOutOfBoundsException.class).isThrownBy(() -> output.set(4));
    }
}
