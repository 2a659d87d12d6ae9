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
 * Time, threads and randomness of an engine: all that makes two runs of it differ, apart from its callers and its
 * store. Each start of the engine makes a timer and executors; each stop closes them.
 *
 * @param clock the clocks
 * @param newTimer makes the timer of a clock
 * @param newLossExecutor makes the executor that calls listeners about losses, in order
 * @param newCallbackExecutor makes the executor of callbacks, which may block
 * @param newCompletionExecutor makes the executor that completes the futures of callers, whose dependent stages may
 *     block
 * @param identity draws the id of the instance, which no other instance may have
 * @param jitter of waits
 */
public record EngineEnvironment(
        EngineClock clock,
        Function<EngineClock, EngineTimer> newTimer,
        Supplier<ExecutorService> newLossExecutor,
        Supplier<ExecutorService> newCallbackExecutor,
        Supplier<ExecutorService> newCompletionExecutor,
        RandomGenerator identity,
        RandomGenerator jitter) {

    /** More than the callers that an application has at a time. */
    private static final int MOST_THREADS = 4096;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /**
     * The threads and the randomness of this machine.
     *
     * @param clock the clocks
     * @return the environment
     */
    public static EngineEnvironment of(EngineClock clock) {
        return new EngineEnvironment(
                clock,
                TimerThread::new,
                () -> LockThreads.pool("lock-lost", 1, IDLE),
                () -> LockThreads.unqueuedPool("lock-callback", MOST_THREADS, IDLE),
                () -> LockThreads.unqueuedPool("lock-async", MOST_THREADS, IDLE),
                new SecureRandom(),
                () -> ThreadLocalRandom.current().nextLong());
    }
}
