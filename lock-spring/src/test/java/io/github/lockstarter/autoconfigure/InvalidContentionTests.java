package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockNotAcquiredException;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import java.util.List;
import org.jspecify.annotations.NonNull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Declarations for a contended lock that have no effect. */
@SuppressWarnings("unused")
class InvalidContentionTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private void assertFails(Class<?> type, String problem, String action) {
        assertFails(application, type, problem, action);
    }

    private static void assertFails(ApplicationContextRunner runner, Class<?> type, String problem, String action) {
        runner.withBean("subject", type).run(context -> assertThat(FailureReport.of(context.getStartupFailure()))
                .contains("@DistributedLock on InvalidContentionTests." + type.getSimpleName())
                .contains(problem)
                .contains(action));
    }

    static class Primitive {
        @DistributedLock(ifContended = IfContended.SKIP)
        public int count() {
            return 1;
        }
    }

    static class NonNullResult {
        @DistributedLock(ifContended = IfContended.SKIP)
        public @NonNull String text() {
            return "";
        }
    }

    @Test
    void startFailsIfASkippedCallHasNothingToReturn() {
        assertFails(
                Primitive.class,
                "Primitive.count() cannot take effect: with ifContended = SKIP a skipped call has no result, and the "
                        + "method returns int.",
                "Return a type that can be empty, such as an Optional");
        assertFails(
                NonNullResult.class,
                "the method returns a non-null String.",
                "Return a type that can be empty, such as an Optional");
    }

    static class Both {
        @DistributedLock(ifContended = IfContended.SKIP, fallbackMethod = "busy")
        public void run() {}

        private void busy() {}
    }

    @Test
    void startFailsForTwoOutcomes() {
        assertFails(Both.class, "it has ifContended = SKIP and fallbackMethod = \"busy\".", "Remove one of them");
    }

    static class Missing {
        @DistributedLock(fallbackMethod = "busy")
        public List<String> ship(long id, List<String> lines) {
            return lines;
        }
    }

    static class OtherParameters {
        @DistributedLock(fallbackMethod = "busy")
        public String ship(long id) {
            return "";
        }

        private String busy(String id) {
            return "";
        }

        private String busy() {
            return "";
        }
    }

    static class Itself {
        @DistributedLock(fallbackMethod = "ship")
        public String ship(long id) {
            return "";
        }
    }

    static class Several {
        @DistributedLock(fallbackMethod = "busy")
        public String ship(long id) {
            return "";
        }

        private String busy(long id) {
            return "";
        }

        private String busy(long id, LockNotAcquiredException contention) {
            return "";
        }
    }

    @Test
    void startFailsUnlessExactlyOneFallbackMatches() {
        String action = "Declare one method 'busy' with the parameters and the result of the locked one";
        assertFails(
                Missing.class,
                "fallbackMethod is \"busy\", and 0 other methods of that name in InvalidContentionTests.Missing have its"
                        + " parameters and its result.",
                action);
        assertFails(OtherParameters.class, "0 other methods of that name", action);
        assertFails(Itself.class, "0 other methods of that name", "Declare one method 'ship'");
        assertFails(Several.class, "2 other methods of that name", action);
    }

    static class BackendOnly {
        @DistributedLock(fallbackMethod = "down")
        public void run() {}

        private void down(LockBackendException failure) {}
    }

    @Test
    void startFailsIfTheFallbackCannotHandleContention() {
        assertFails(BackendOnly.class, "0 other methods of that name", "may take a LockNotAcquiredException last");
    }

    static class OtherResult {
        @DistributedLock(fallbackMethod = "busy")
        public String ship() {
            return "";
        }

        private Object busy() {
            return "";
        }
    }

    static class VoidResult {
        @DistributedLock(fallbackMethod = "busy")
        public String ship() {
            return "";
        }

        private void busy() {}
    }

    static class OtherElements {
        @DistributedLock(fallbackMethod = "busy")
        public List<String> lines() {
            return List.of();
        }

        private List<Integer> busy() {
            return List.of();
        }
    }

    @ParameterizedTest
    @ValueSource(classes = {OtherResult.class, VoidResult.class, OtherElements.class})
    void startFailsIfTheFallbackReturnsAnotherType(Class<?> type) {
        assertFails(
                type, "0 other methods of that name", "Declare one method 'busy' with the parameters and the result");
    }

    static class Chain {
        @DistributedLock(fallbackMethod = "second")
        public void first() {}

        @DistributedLock(fallbackMethod = "third")
        public void second() {}

        private void third() {}
    }

    @Test
    void startFailsForAFallbackWithAFallback() {
        assertFails(
                Chain.class,
                "its fallback InvalidContentionTests.Chain.second() has a fallback itself.",
                "Remove the fallbackMethod of the fallback");
    }
}
