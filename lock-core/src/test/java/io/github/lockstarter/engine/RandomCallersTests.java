package io.github.lockstarter.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;
import static org.awaitility.Awaitility.await;

import io.github.lockstarter.engine.UnreliableStore.Planted;
import io.github.lockstarter.testing.Effort;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ThreadFactory;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.EnumSource.Mode;
import org.junit.jupiter.params.provider.MethodSource;

/** Random callers of a store that answers late, twice or not at all. Prints the seed. */
class RandomCallersTests {

    private static final int THREADS = 12;
    private static final int CALLS = Effort.of(30, 2_000);

    /** At most, until a planted fault is found. */
    private static final int CONTROLS = 100_000;

    private static final int FEW_CALLS = 10;

    private static LongStream seeds() {
        long first = Long.getLong("lock.test.seed", System.nanoTime());
        return LongStream.range(first, first + Long.getLong("lock.test.seeds", 1));
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void keepTheRulesOnPlatformThreads(long seed) throws Exception {
        keepTheRules(Thread::new, seed);
    }

    @ParameterizedTest
    @MethodSource("seeds")
    void keepTheRulesOnVirtualThreads(long seed) throws Exception {
        Optional<ThreadFactory> virtual = virtualThreads();
        assumeThat(virtual).as("a JDK with virtual threads").isPresent();
        keepTheRules(virtual.orElseThrow(), seed);
    }

    private static void keepTheRules(ThreadFactory factory, long seed) throws Exception {
        try (RandomCallers callers = new RandomCallers(seed, Planted.NONE)) {
            run(callers, factory, CALLS, seed);

            assertThat(callers.violations).as("-Dlock.test.seed=" + seed).isEmpty();
            assertThat(callers.grants).as("grants").hasValueGreaterThan(THREADS * CALLS / 10);
            await().untilAsserted(() ->
                    assertThat(callers.remains()).as("-Dlock.test.seed=" + seed).isEmpty());
        }
    }

    @ParameterizedTest
    @EnumSource(mode = Mode.EXCLUDE, names = "NONE")
    void theCheckFindsAPlantedFault(Planted planted) throws Exception {
        long seed = seeds().findFirst().orElseThrow();
        try (RandomCallers callers = new RandomCallers(seed, planted)) {
            run(callers, Thread::new, planted == Planted.KEEPS_A_RELEASED_LOCK ? FEW_CALLS : CONTROLS, seed);

            assertThat(List.of(callers.violations, callers.remains()).toString())
                    .as("-Dlock.test.seed=" + seed)
                    .containsPattern(planted.found);
        }
    }

    /** Interrupts one of the callers now and then, and waits for them as long as their calls end. */
    private static void run(RandomCallers callers, ThreadFactory factory, int callsEach, long seed) {
        System.out.println("RandomCallersTests with -Dlock.test.seed=" + seed);
        callers.start(factory, THREADS, callsEach);
        Random random = new Random(seed);
        while (!callers.isDone()) {
            int before = callers.calls.get();
            await().pollDelay(Duration.ZERO)
                    .pollInterval(Duration.ofMillis(2))
                    .until(() -> callers.isDone() || callers.calls.get() > before);
            callers.interrupt(random);
        }
    }

    private static Optional<ThreadFactory> virtualThreads() throws ReflectiveOperationException {
        try {
            Object builder = Thread.class.getMethod("ofVirtual").invoke(null);
            return Optional.of((ThreadFactory) Class.forName("java.lang.Thread$Builder")
                    .getMethod("factory")
                    .invoke(builder));
        } catch (NoSuchMethodException e) {
            return Optional.empty();
        }
    }
}
