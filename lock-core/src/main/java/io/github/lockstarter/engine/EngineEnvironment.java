package io.github.lockstarter.engine;

import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.engine.timer.TimerWheel;
import io.github.lockstarter.spi.LockThreads;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.ExecutorService;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Time, threads and randomness of an engine: all that makes two runs of it differ, apart from its callers and its
 * store. An engine that is started again asks for another timer and other executors, and closes those before.
 *
 * @param clock the clocks
 * @param timer makes the timer of a clock
 * @param losses makes the executor that calls listeners about losses, in order
 * @param callbacks makes the executor of callbacks, which may block
 * @param completions makes the executor that completes the futures of callers, whose dependent stages may block
 * @param random the identity of an instance, and the jitter of its waits
 */
public record EngineEnvironment(
        EngineClock clock,
        Function<EngineClock, EngineTimer> timer,
        Supplier<ExecutorService> losses,
        Supplier<ExecutorService> callbacks,
        Supplier<ExecutorService> completions,
        Random random) {

    /** More than the callers that an application has at a time. */
    private static final int MOST_THREADS = 4096;

    private static final Duration IDLE = Duration.ofSeconds(10);

    /** The clocks, threads and randomness of this machine. */
    public static final EngineEnvironment SYSTEM = of(EngineClock.SYSTEM);

    /**
     * The threads and the randomness of this machine, and other clocks.
     *
     * @param clock the clocks
     * @return the environment
     */
    public static EngineEnvironment of(EngineClock clock) {
        return new EngineEnvironment(
                clock,
                TimerWheel::new,
                () -> LockThreads.pool("lock-lost", 1, IDLE),
                () -> LockThreads.unqueuedPool("lock-callback", MOST_THREADS, IDLE),
                () -> LockThreads.unqueuedPool("lock-async", MOST_THREADS, IDLE),
                new SecureRandom());
    }
}
