package io.github.lockstarter.kit.jvm;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.kit.Patience;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("full")
class ChildJvmTests {

    @Test
    void readsWhatTheChildPrintsAndItsExitCode() {
        try (ChildJvm child = ChildJvm.start(Greeter.class, "hello")) {
            assertThat(child.awaitLine(line -> line.startsWith("said"), Patience.TIME))
                    .isEqualTo("said hello");
            assertThat(child.awaitExit(Patience.TIME)).isEqualTo(3);
        }
    }

    @Test
    void reportsTheOutputWhenTheAwaitedLineIsMissing() {
        try (ChildJvm child = ChildJvm.start(Greeter.class, "hello")) {
            assertThatThrownBy(() -> child.awaitLine("other"::equals, Patience.TIME))
                    .isInstanceOf(AssertionError.class)
                    .hasMessageContaining("said hello");
        }
    }

    @Test
    void pausesResumesAndKillsTheChild() {
        try (ChildJvm child = ChildJvm.start(Clock.class)) {
            child.awaitLine("tick"::equals, Patience.TIME);
            child.pause();
            int printed = settledLines(child);
            child.resume();
            await().atMost(Patience.TIME)
                    .untilAsserted(() -> assertThat(child.lines()).hasSizeGreaterThan(printed + 2));
            child.kill();
            assertThat(child.isAlive()).isFalse();
        }
    }

    @Test
    void endsTheGrandchildWhenTheChildIsKilledEvenIfItIsPaused() {
        try (ChildJvm child = ChildJvm.start(Parent.class)) {
            long grandchild = Long.parseLong(child.awaitLine(line -> line.matches("\\d+"), Patience.TIME));
            assertThat(ProcessHandle.of(grandchild)).isPresent();

            child.kill();

            await().atMost(Patience.TIME).untilAsserted(() -> assertThat(ProcessHandle.of(grandchild))
                    .isEmpty());
        }
    }

    private static int settledLines(ChildJvm child) {
        int[] seen = {-1};
        await().pollInterval(ofSeconds(1)).atMost(Patience.TIME).until(() -> {
            int before = seen[0];
            seen[0] = child.lines().size();
            return before == seen[0];
        });
        return seen[0];
    }

    /** Prints its argument and exits with 3. */
    static final class Greeter {
        public static void main(String[] arguments) {
            System.out.println("said " + arguments[0]);
            System.exit(3);
        }
    }

    /** Prints forever. */
    static final class Clock {
        public static void main(String[] arguments) {
            while (true) {
                System.out.println("tick");
                LockSupport.parkNanos(ofSeconds(1).dividedBy(50).toNanos());
            }
        }
    }

    /** Starts a child of its own, pauses it, and waits to be killed. */
    static final class Parent {
        // Only its guard may end the grandchild.
        @SuppressWarnings("resource")
        public static void main(String[] arguments) {
            ChildJvm child = ChildJvm.start(Clock.class);
            child.awaitLine("tick"::equals, Patience.TIME);
            child.pause();
            System.out.println(child.pid());
            while (true) {
                LockSupport.park();
            }
        }
    }
}
