package io.github.lockstarter.aop;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.time.LocalDate;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class KeyTextTests {

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
        assertThat(KeyText.of(Shade.DARK)).isEqualTo("DARK");
    }

    @Test
    void isWhatTheValueSaysOfItself() {
        assertThat(KeyText.of(LocalDate.of(2026, 11, 20))).isEqualTo("2026-11-20");
        assertThat(KeyText.of(new Order(1))).isEqualTo("Order[id=1]");
    }

    @Test
    void doesNotExistForWhatDiffersFromJvmToJvm() {
        for (Object value :
                new Object[] {new Object(), new String[] {"a"}, Set.of("a", "b"), Stream.of("a"), (Runnable) () -> {}
                }) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> KeyText.of(value))
                    .withMessageContaining("has no text that identifies it");
        }
    }

    @Test
    void doesNotExistForNullAndBlank() {
        assertThatIllegalArgumentException().isThrownBy(() -> KeyText.of(null)).withMessage("is null");
        assertThatIllegalArgumentException().isThrownBy(() -> KeyText.of("\t")).withMessage("is blank");
    }
}
