package io.github.lockstarter.benchmarks.jvm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

class ChildJvmTests {

    /** Says what it is told, but for one word. */
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
    void tellsInOneLineThatTheTaskFailedAndGoesOn() {
        try (ChildJvm child = ChildJvm.start(Echo.class)) {
            assertThatIllegalStateException()
                    .isThrownBy(() -> child.ask("fail"))
                    .withMessageContaining("IllegalArgumentException: of two lines");
            assertThat(child.ask("hello")).isEqualTo("hello");
        }
    }

    @Test
    void doesNotAnswerWhileItIsPaused() throws Exception {
        try (ChildJvm child = ChildJvm.start(Echo.class)) {
            child.ask("hello");
            CompletableFuture<Void> pause = CompletableFuture.runAsync(() -> pause(child));
            TimeUnit.MILLISECONDS.sleep(300); // the shell starts
            long asked = System.nanoTime();

            assertThat(child.ask("hello")).isEqualTo("hello");
            assertThat(Duration.ofNanos(System.nanoTime() - asked)).isGreaterThan(Duration.ofMillis(300));
            pause.get();
        }
    }

    private static void pause(ChildJvm child) {
        try {
            child.pause(Duration.ofSeconds(1));
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    @Timeout(20)
    void answersNothingOnceItIsKilled() {
        try (ChildJvm child = ChildJvm.start(Echo.class)) {
            child.ask("hello");

            child.kill();

            assertThatExceptionOfType(UncheckedIOException.class).isThrownBy(child::receive);
        }
    }
}
