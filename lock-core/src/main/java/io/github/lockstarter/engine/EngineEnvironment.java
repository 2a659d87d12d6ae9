package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.spi.LockThreads;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.random.RandomGenerator;

/**
 * Clock, threads and randomness of an engine: everything nondeterministic except callers and store. Each start of the
 * engine creates the timer and executors; each stop closes them.
 *
 * @param clock clocks
 * @param newTimer creates the timer
 * @param newLossExecutor for reports of losses to listeners, in order
 * @param newCallbackExecutor for callbacks, which may block
 * @param newCompletionExecutor for completing callers' futures, whose dependent stages may block
 * @param identity source of the instance id and of the numbers in lock tokens, which must be unique; thread-safe
 * @param jitter source of random delays
 */
public record EngineEnvironment(
        EngineClock clock,
        Function<EngineClock, EngineTimer> newTimer,
        Supplier<ExecutorService> newLossExecutor,
        Supplier<ExecutorService> newCallbackExecutor,
        Supplier<ExecutorService> newCompletionExecutor,
        RandomGenerator identity,
        RandomGenerator jitter) {

    /** More than an application's concurrent callers. */
    private static final int MAX_THREADS = 4096;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /**
     * {@return the real threads and randomness of this machine}
     *
     * @param clock clocks
     */
    public static EngineEnvironment of(EngineClock clock) {
        return new EngineEnvironment(
                clock,
                TimerThread::new,
                () -> LockThreads.pool("lock-lost", 1, IDLE),
                () -> LockThreads.unqueuedPool("lock-callback", MAX_THREADS, IDLE),
                () -> LockThreads.unqueuedPool("lock-async", MAX_THREADS, IDLE),
                new SecureRandom(),
                () -> ThreadLocalRandom.current().nextLong());
    }
}
