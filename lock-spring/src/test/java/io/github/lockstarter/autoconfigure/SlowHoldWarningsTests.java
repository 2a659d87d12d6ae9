package io.github.lockstarter.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockHandle;
import io.github.lockstarter.LockOperations;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.observe.LockListeners;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ApplicationContext;

@ExtendWith(OutputCaptureExtension.class)
class SlowHoldWarningsTests {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(DistributedLockAutoConfiguration.class))
            .withPropertyValues("distributed-lock.backend=local");

    @Test
    void warnsAboutALongHoldWithTheStackOfItsThread(CapturedOutput output) {
        runner.withPropertyValues("distributed-lock.warn-after=50ms").run(context -> {
            LockHandle held = context.getBean(LockOperations.class).acquire("order:42");

            await().untilAsserted(() -> assertThat(output.getAll()).contains("has been held for"));
            assertThat(output.getAll())
                    .contains("Lock 'order:42' (fencing token " + held.fencingToken() + ")")
                    .contains("Thread '" + Thread.currentThread().getName() + "'")
                    .contains(getClass().getSimpleName());
            held.release();
        });
    }

    @Test
    void doesNotWarnAboutHoldsThatEndInTime(CapturedOutput output) {
        runner.withPropertyValues("distributed-lock.warn-after=1m").run(context -> {
            for (int i = 0; i < 100; i++) {
                context.getBean(LockOperations.class).acquire("order:42").release();
            }
        });

        assertThat(output.getAll()).doesNotContain("has been held for");
    }

    @Test
    void omitsTheStackOfAThreadThatOnlyDeliveredTheLock(CapturedOutput output) {
        runner.withPropertyValues("distributed-lock.warn-after=50ms").run(context -> {
            LockHandle held = context.getBean(LockOperations.class)
                    .acquireAsync(LockRequest.of("order:42"))
                    .join();

            await().untilAsserted(() -> assertThat(output.getAll()).contains("has been held for"));
            assertThat(output.getAll()).contains("acquired asynchronously").doesNotContain("which acquired it, is now");
            held.release();
        });
    }

    @Test
    void saysThatTheThreadHasTerminated(CapturedOutput output) {
        runner.withPropertyValues("distributed-lock.warn-after=50ms").run(context -> {
            AtomicReference<LockHandle> held = new AtomicReference<>();
            Thread thread = new Thread(
                    () -> held.set(context.getBean(LockOperations.class).acquire("order:42")), "request-7");
            thread.start();
            thread.join();

            await().untilAsserted(() ->
                    assertThat(output.getAll()).contains("Thread 'request-7', which acquired it, has terminated"));
            held.get().release();
        });
    }

    /** A thread that reads a class by its methods' names would need hints in a native image. */
    @Test
    void isRegisteredWithoutAnIsolatingWrapper() {
        runner.run(context -> assertThat(listeners(context))
                .contains("SlowHoldWarnings", "LockEventPublisher")
                .doesNotContain("Isolated"));
    }

    @Test
    void isDisabledWhenTheTimeIsZero() {
        runner.withPropertyValues("distributed-lock.warn-after=0").run(context -> assertThat(listeners(context))
                .contains("LockEventPublisher")
                .doesNotContain("SlowHoldWarnings", "Isolated"));
    }

    private static List<String> listeners(ApplicationContext context) {
        return context.getBean(LockListeners.class).all().stream()
                .map(listener -> listener.getClass().getSimpleName())
                .toList();
    }

    @Test
    void warnsAfterOneMinuteByDefault() {
        runner.run(context -> assertThat(
                        context.getBean(DistributedLockProperties.class).warnAfter())
                .isEqualTo(Duration.ofMinutes(1)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"-1s", "100us", "366d", "P200000D"})
    void refusesANegativeTime(String time) {
        runner.withPropertyValues("distributed-lock.warn-after=" + time).run(context -> assertThat(context)
                .getFailure()
                .rootCause()
                .hasMessageContaining("distributed-lock.warn-after is ")
                .hasMessageContaining("between 1ms and 365d, or 0 to disable the warning"));
    }
}
