package io.github.lockstarter.zookeeper;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class QueueSnapshotTests {

    private static final LockNode SECOND = new LockNode("/l/k/_c_00-lock-0000000011", 7, 1);

    @Test
    void ordersNodesByNumberAndNotByName() {
        QueueSnapshot queue =
                QueueSnapshot.of(List.of("_c_zz-lock-0000000009", "_c_00-lock-0000000011", "_c_aa-lock-0000000010"));

        assertThat(queue.names())
                .containsExactly("_c_zz-lock-0000000009", "_c_aa-lock-0000000010", "_c_00-lock-0000000011");
        assertThat(queue.before(SECOND)).hasValue("_c_aa-lock-0000000010");
        assertThat(queue.isFirst(SECOND)).isFalse();
    }

    @Test
    void knowsTheLastNodeBehindAnother() {
        LockNode first = new LockNode("/l/k/_c_zz-lock-0000000009", 6, 1);

        assertThat(QueueSnapshot.of(List.of("_c_zz-lock-0000000009", "_c_00-lock-0000000011"))
                        .lastBehind(first))
                .hasValue("_c_00-lock-0000000011");
        assertThat(QueueSnapshot.of(List.of("_c_zz-lock-0000000009")).lastBehind(first))
                .isEmpty();
        assertThat(QueueSnapshot.EMPTY.lastBehind(first)).isEmpty();
    }

    @Test
    void continuesAfterTheSequenceOverflows() {
        QueueSnapshot queue =
                QueueSnapshot.of(List.of("a-lock--2147483648", "a-lock-2147483647", "a-lock--2147483647"));

        assertThat(queue.names()).containsExactly("a-lock-2147483647", "a-lock--2147483648", "a-lock--2147483647");
    }

    @Test
    void ignoresOtherNodes() {
        assertThat(QueueSnapshot.of(List.of("notes", "lock-12", "lock-", "x-lock-00000000011")))
                .isEqualTo(QueueSnapshot.EMPTY);
        assertThat(QueueSnapshot.EMPTY.first()).isEqualTo(Optional.empty());
    }
}
