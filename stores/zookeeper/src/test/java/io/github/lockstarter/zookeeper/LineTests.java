package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class LineTests {

    private static final LockNode SECOND = new LockNode("/l/k/_c_00-lock-0000000011", 7, 1);

    @Test
    void ordersNodesByNumberAndNotByName() {
        Line line = Line.of(List.of("_c_zz-lock-0000000009", "_c_00-lock-0000000011", "_c_aa-lock-0000000010"));

        assertThat(line.names())
                .containsExactly("_c_zz-lock-0000000009", "_c_aa-lock-0000000010", "_c_00-lock-0000000011");
        assertThat(line.before(SECOND)).hasValue("_c_aa-lock-0000000010");
        assertThat(line.isFirst(SECOND)).isFalse();
    }

    @Test
    void knowsTheLastNodeBehindAnother() {
        LockNode first = new LockNode("/l/k/_c_zz-lock-0000000009", 6, 1);

        assertThat(Line.of(List.of("_c_zz-lock-0000000009", "_c_00-lock-0000000011"))
                        .lastBehind(first))
                .hasValue("_c_00-lock-0000000011");
        assertThat(Line.of(List.of("_c_zz-lock-0000000009")).lastBehind(first)).isEmpty();
        assertThat(Line.EMPTY.lastBehind(first)).isEmpty();
    }

    @Test
    void continuesAfterTheSequenceOverflows() {
        Line line = Line.of(List.of("a-lock--2147483648", "a-lock-2147483647", "a-lock--2147483647"));

        assertThat(line.names()).containsExactly("a-lock-2147483647", "a-lock--2147483648", "a-lock--2147483647");
    }

    @Test
    void ignoresOtherNodes() {
        assertThat(Line.of(List.of("notes", "lock-12", "lock-", "x-lock-00000000011")))
                .isEqualTo(Line.EMPTY);
        assertThat(Line.EMPTY.first()).isEqualTo(Optional.empty());
    }
}
