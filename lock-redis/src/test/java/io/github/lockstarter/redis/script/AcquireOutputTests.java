package io.github.lockstarter.redis.script;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.github.lockstarter.redis.script.AcquireScript.Reply;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.OptionalLong;
import org.junit.jupiter.api.Test;

class AcquireOutputTests {

    private static final OptionalLong NO_TIME = OptionalLong.empty();

    private final AcquireScript.Output output = new AcquireScript.Output();

    @Test
    void takesABareNumberForAGrantThatNobodyWaitsFor() {
        output.set(1_700_000_000_000_000L);
        assertThat(output.get()).isEqualTo(new Reply(Reply.GRANTED, 1_700_000_000_000_000L, 0, "", "", "", NO_TIME));
    }

    @Test
    void takesThreeNumbersAsTheyAre() {
        output.multi(3);
        output.set(0);
        output.set(-1);
        assertThat(output.get()).isNull();
        output.set(7);
        assertThat(output.get()).isEqualTo(new Reply(Reply.CONTENDED, -1, 7, "", "", "", NO_TIME));
    }

    @Test
    void takesAMarkerAfterThreeNumbers() {
        output.multi(4);
        output.set(2);
        output.set(1500);
        output.set(0);
        output.set(ByteBuffer.wrap(new byte[] {'?', ':', '1'}));
        assertThat(output.get()).isEqualTo(new Reply(Reply.RECOVERING, 1500, 0, "?:1", "", "", NO_TIME));
    }

    @Test
    void takesTheTimeAfterTheMarker() {
        output.multi(5);
        output.set(0);
        output.set(900);
        output.set(7);
        output.set(ByteBuffer.wrap(new byte[0]));
        output.set(1_700_000_000_000_000L);
        assertThat(output.get())
                .isEqualTo(new Reply(Reply.CONTENDED, 900, 7, "", "", "", OptionalLong.of(1_700_000_000_000_000L)));
    }

    @Test
    void takesTheHolderBetweenTheMarkerAndTheTime() {
        output.multi(6);
        output.set(0);
        output.set(900);
        output.set(7);
        output.set(ByteBuffer.wrap(new byte[] {'?', ':', '1'}));
        output.set(ByteBuffer.wrap("3f2a91c0|17 main".getBytes(StandardCharsets.UTF_8)));
        output.set(1_700_000_000_000_000L);
        assertThat(output.get())
                .isEqualTo(new Reply(
                        Reply.CONTENDED,
                        900,
                        7,
                        "?:1",
                        "3f2a91c0|17 main",
                        "",
                        OptionalLong.of(1_700_000_000_000_000L)));
    }

    @Test
    void takesWhatIsToBeAcknowledgedBehindTheHolder() {
        output.multi(7);
        output.set(0);
        output.set(900);
        output.set(7);
        for (String text : List.of("", "3f2a91c0|17 main|1000+", "3f2a91c0 17")) {
            output.set(ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)));
        }
        output.set(1_700_000_000_000_000L);
        assertThat(output.get())
                .isEqualTo(new Reply(
                        Reply.CONTENDED,
                        900,
                        7,
                        "",
                        "3f2a91c0|17 main|1000+",
                        "3f2a91c0 17",
                        OptionalLong.of(1_700_000_000_000_000L)));
    }

    @Test
    void hasNoReplyWhenMoreTextComes() {
        output.multi(7);
        output.set(0);
        output.set(900);
        output.set(7);
        for (int text = 0; text < 4; text++) {
            output.set(ByteBuffer.wrap(new byte[] {'x'}));
        }
        assertThat(output.get()).isNull();
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
