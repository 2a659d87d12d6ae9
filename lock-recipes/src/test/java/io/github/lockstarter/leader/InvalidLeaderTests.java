package io.github.lockstarter.leader;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.Mockito.mock;

import io.github.lockstarter.DistributedLock;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.autoconfigure.DistributedLockAutoConfiguration;
import io.github.lockstarter.autoconfigure.testing.FailureReport;
import io.github.lockstarter.scheduling.ScheduledLock;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

/** Uses of leader election that fail the start, and their messages. */
@SuppressWarnings("unused")
@ExtendWith(OutputCaptureExtension.class)
class InvalidLeaderTests {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(DistributedLockAutoConfiguration.class, LeaderAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    private static void assertFails(ApplicationContextRunner runner, Class<?> type, String... expected) {
        FailureReport.assertThat(runner.withBean("subject", type)).contains(expected);
    }

    static class Primitive {
        @LeaderOnly("billing")
        public int count() {
            return 1;
        }
    }

    @Test
    void refusesAMethodWithAPrimitiveResult() {
        assertFails(
                application,
                Primitive.class,
                "@LeaderOnly on InvalidLeaderTests.Primitive.count() cannot take effect: ",
                "a skipped call has no result, and the method returns int.",
                "Return a type that can be empty, such as an Optional");
    }

    static class Blank {
        @LeaderOnly("")
        public void collect() {}
    }

    static class Spaced {
        @LeaderOnly("night shift")
        public void collect() {}
    }

    static class Unresolved {
        @LeaderOnly("${test.role}")
        public void collect() {}
    }

    @Test
    void refusesAnInvalidRoleName() {
        assertFails(
                application,
                Blank.class,
                "@LeaderOnly on InvalidLeaderTests.Blank.collect() cannot take effect: it has no name.",
                "with letters, digits, '.', '_' and '-', such as",
                "@LeaderOnly(\"billing\").");
        assertFails(
                application,
                Spaced.class,
                "the name 'night shift' has characters other than letters, digits, '.', '_' and '-'.");
        assertFails(application, Unresolved.class, "name = \"${test.role}\" cannot be resolved");
    }

    @Test
    void refusesAnInvalidRoleNameInTheConfiguration() {
        FailureReport.assertThat(application.withPropertyValues("distributed-lock.leader.roles=night shift"))
                .isEqualTo("distributed-lock.leader.roles is [night shift]. The role 'night shift' is not a "
                        + "name of letters, digits, '.', '_' and '-'.\n\nRename it, such as 'billing'.");
    }

    static class Both {
        @LeaderOnly("billing")
        @ScheduledLock(name = "billing", minHoldMs = 100)
        public void collect() {}
    }

    @Test
    void refusesTwoAnnotationsOnOneMethod() {
        assertFails(
                application,
                Both.class,
                "it has @LeaderOnly and @ScheduledLock, of which one would be ignored.",
                "Remove one of them; for two locks, lock a method that calls this one.");
    }

    public static class Correct {
        @LeaderOnly("billing")
        public void collect() {}
    }

    @Test
    void refusesAnApplicationWithoutLocks() {
        assertFails(
                application.withPropertyValues("distributed-lock.enabled=false"),
                Correct.class,
                "@LeaderOnly on InvalidLeaderTests.Correct.collect() cannot take effect: distributed-lock.enabled is "
                        + "not true, or DistributedLockAutoConfiguration is excluded, and the method would run "
                        + "unlocked.");
    }

    @Test
    void refusesSeveralLocksWithoutAPrimaryOne() {
        LockOperations locks = mock(LockOperations.class);
        assertFails(
                application
                        .withClassLoader(new FilteredClassLoader(Flux.class)) // the publishers' locks would fail before
                        .withBean("one", LockOperations.class, () -> locks)
                        .withBean("two", LockOperations.class, () -> locks),
                Correct.class,
                "@LeaderOnly on InvalidLeaderTests.Correct.collect() cannot take effect: locks is \"leaderLocks\", "
                        + "and no LockOperations bean has this name; there are [one, two].",
                "There is no leader election. Mark one of several LockOperations beans as @Primary, and do not exclude LeaderAutoConfiguration.");
    }

    static class Final {
        @LeaderOnly("billing")
        public final void collect() {}
    }

    @Test
    void refusesAMethodThatCannotBeProxied() {
        assertFails(application, Final.class, "the proxy is a subclass, which cannot override a final method.");
    }

    static class Reactive {
        @LeaderOnly("billing")
        public Mono<Long> collect() {
            return Mono.empty();
        }
    }

    /** The annotation has no attribute for it. */
    @ParameterizedTest
    @ValueSource(strings = {"refuse", "release-after"})
    void theDefaultInTransactionsDoesNotRefuseAReactiveMethod(String behaviour) {
        application
                .withBean(Reactive.class)
                .withPropertyValues("distributed-lock.in-transaction=" + behaviour)
                .run(context -> assertThat(context).hasNotFailed());
    }

    static class Taken {
        @DistributedLock(name = "billing", permits = 3)
        public void bill() {}
    }

    @Test
    void aLockMayHaveTheNameOfARole(CapturedOutput output) {
        application
                .withBean(Correct.class)
                .withBean(Taken.class)
                .withPropertyValues("distributed-lock.locks.[leader.billing].lease=20s")
                .run(context -> assertThat(context).hasNotFailed());
        assertThat(output).doesNotContain("distributed-lock.locks has settings for");
    }

    @Test
    void startsWithoutSpringIntegration() {
        application
                .withClassLoader(new FilteredClassLoader("org.springframework.integration"))
                .run(context -> assertThat(context)
                        .hasNotFailed()
                        .hasBean(LeaderLocks.BEAN)
                        .doesNotHaveBean("distributedLockRoleEvents"));
    }
}
