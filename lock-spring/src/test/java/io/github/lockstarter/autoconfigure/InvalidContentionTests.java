package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.IfContended;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import java.io.IOException;
import java.util.List;
import org.jspecify.annotations.NonNull;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Declarations of what follows a contended lock that cannot take effect. */
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
    void failsTheStartIfASkippedCallHasNothingToReturn() {
        assertFails(
                Primitive.class,
                "Primitive.count() cannot take effect: with ifContended = SKIP a skipped call returns null, and the "
                        + "method returns int.",
                "Return Optional<Integer>, or declare a fallbackMethod");
        assertFails(NonNullResult.class, "the method returns a non-null String.", "Return Optional<String>");
    }

    static class ConfiguredPrimitive {
        @DistributedLock(name = "counting")
        public int count() {
            return 1;
        }
    }

    @Test
    void failsTheStartIfACallIsConfiguredToBeSkippedThatHasNothingToReturn() {
        assertFails(
                application.withPropertyValues("distributed-lock.locks.counting.if-contended=skip"),
                ConfiguredPrimitive.class,
                "with distributed-lock.locks.counting.if-contended=skip a skipped call returns null",
                "Return Optional<Integer>");
    }

    static class Both {
        @DistributedLock(ifContended = IfContended.SKIP, fallbackMethod = "busy")
        public void run() {}

        private void busy() {}
    }

    @Test
    void failsTheStartForTwoOutcomes() {
        assertFails(Both.class, "it has ifContended = SKIP and fallbackMethod = \"busy\".", "Leave out one of them");
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

    @Test
    void failsTheStartWithoutAFallbackThatFits() {
        assertFails(
                Missing.class,
                "fallbackMethod is \"busy\", and InvalidContentionTests.Missing has no other method of that name.",
                "Declare 'List<String> busy(long, List<String>)', or 'List<String> busy(long, List<String>, "
                        + "LockNotAcquiredException)'.");
        assertFails(
                OtherParameters.class,
                "none of that name in InvalidContentionTests.OtherParameters takes a call that is not granted the lock: "
                        + "InvalidContentionTests.OtherParameters.busy(), "
                        + "InvalidContentionTests.OtherParameters.busy(String).",
                "Declare 'String busy(long)', or 'String busy(long, LockNotAcquiredException)'.");
        assertFails(Itself.class, "has no other method of that name", "Declare 'String ship(long)'");
    }

    static class BackendOnly {
        @DistributedLock(fallbackMethod = "down")
        public void run() {}

        private void down(LockBackendException failure) {}
    }

    @Test
    void failsTheStartIfContentionReachesNoFallback() {
        assertFails(
                BackendOnly.class,
                "takes a call that is not granted the lock",
                "Declare 'void down()', or 'void down(LockNotAcquiredException)'.");
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

    static class BoxedResult {
        @DistributedLock(fallbackMethod = "busy")
        public int count() {
            return 1;
        }

        private Integer busy() {
            return 1;
        }
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
    @ValueSource(classes = {OtherResult.class, VoidResult.class, BoxedResult.class, OtherElements.class})
    void failsTheStartIfTheFallbackReturnsSomethingElse(Class<?> type) {
        assertFails(
                type, "the fallback InvalidContentionTests." + type.getSimpleName() + ".busy() returns", "Declare '");
    }

    static class UnreachableException {
        @DistributedLock(fallbackMethod = "busy")
        public void run() {}

        private void busy() {}

        private void busy(LockLostException loss) {}
    }

    @Test
    void failsTheStartForAFallbackThatIsNeverCalled() {
        assertFails(
                UnreachableException.class,
                "busy(LockLostException) is never called: no LockLostException reaches a fallback.",
                "Take LockNotAcquiredException, LockBackendException");
    }

    static class CheckedException {
        @DistributedLock(fallbackMethod = "busy")
        public void run() {}

        private void busy() throws IOException {
            throw new IOException();
        }
    }

    @Test
    void failsTheStartIfTheFallbackThrowsWhatTheMethodDoesNot() {
        assertFails(
                CheckedException.class,
                "busy() declares IOException, which the method does not.",
                "Declare it for both, or throw an unchecked exception.");
    }

    static class Circle {
        @DistributedLock(fallbackMethod = "second")
        public void first() {}

        @DistributedLock(fallbackMethod = "third")
        public void second() {}

        @DistributedLock(fallbackMethod = "second")
        public void third() {}
    }

    @Test
    void failsTheStartForFallbacksThatCallEachOther() {
        assertFails(Circle.class, "its fallback leads back to it through", "End with a fallback that is not locked");
    }
}
