package io.github.lockstarter.benchmarks.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Tag("full")
class TaskJvmTests {

    /** Repeats its commands, except for one word. */
    public static final class Echo implements ChildTask {

        @Override
        public String answer(String... words) {
            if (words[0].equals("fail")) {
                throw new IllegalArgumentException("of two\nlines");
            }
            return words[0];
        }
    }

    @Test
    void reportsAFailedTaskInOneLineAndContinues() {
        try (TaskJvm child = TaskJvm.start(Echo.class)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> child.ask("fail"))
                    .withMessageContaining("IllegalArgumentException: of two lines");
            assertThat(child.ask("hello")).isEqualTo("hello");
        }
    }

    @Test
    @Timeout(300)
    void answersNothingOnceKilled() {
        try (TaskJvm child = TaskJvm.start(Echo.class)) {
            child.ask("hello");

            child.kill();

            assertThatExceptionOfType(AssertionError.class).isThrownBy(child::receive);
        }
    }
}
