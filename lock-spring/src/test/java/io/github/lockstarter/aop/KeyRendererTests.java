package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.LocalDate;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyRendererTests {

    /** Overrides {@code toString} for one constant: the name counts. */
    private enum Shade {
        DARK {
            @Override
            public String toString() {
                return "as the night";
            }
        }
    }

    private record Order(long id) {}

    @Test
    void isTheNameOfAnEnumConstant() {
        assertThat(KeyRenderer.of(Shade.DARK)).isEqualTo("DARK");
    }

    @Test
    void isWhatTheValueSaysOfItself() {
        assertThat(KeyRenderer.of(LocalDate.of(2026, 11, 20))).isEqualTo("2026-11-20");
        assertThat(KeyRenderer.of(new Order(1))).isEqualTo("Order[id=1]");
    }

    @Test
    void doesNotExistForWhatDiffersFromJvmToJvm() {
        for (Object value :
                new Object[] {new Object(), new String[] {"a"}, Set.of("a", "b"), Stream.of("a"), (Runnable) () -> {}
                }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyRenderer.of(value))
                    .withMessageContaining("has no text that identifies it");
        }
    }

    @Test
    void doesNotExistForNullAndBlank() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of(null))
                .withMessage("is null");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> KeyRenderer.of("\t"))
                .withMessage("is blank");
    }
}
