package io.github.lockstarter.testing;

import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.EngineTimer;
import io.github.lockstarter.engine.TimerEntry;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.kit.Patience;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * The clocks of engines, and of a store in this JVM. A reading moves them by the real time since the last one, but by
 * at most 50 ms, so a pause of the process ends no lease. The test moves them by the rest of the time, and the timers
 * of the engines read the new time at once. Thread-safe.
 */
public final class SettableClock {

    /** Enough for short delays to pass; a pause that counts as this much ends no wait or lease that must not end. */
    private static final long MOST_BETWEEN_READINGS_NANOS = 50_000_000;

    /** Due earlier than any other entry of a timer. */
    private static final long EARLIER_NANOS = Duration.ofDays(1).toNanos();

    private final long most;

    /** Sets another clock, which goes with this one, to how far it is ahead. */
    private final Consumer<Duration> follower;

    private final List<Timer> timers = new CopyOnWriteArrayList<>();
    private Duration ahead = Duration.ZERO;
    private long readAt = System.nanoTime();
    private long now = readAt;
    private final Instant wallOrigin = Instant.now().minusNanos(readAt);

    public SettableClock() {
        this(MOST_BETWEEN_READINGS_NANOS, moved -> {});
    }

    private SettableClock(long most, Consumer<Duration> follower) {
        this.most = most;
        this.follower = follower;
    }

    /** For a store with a clock of its own: runs like that of this machine, also during a pause. */
    public static SettableClock ofThisMachine() {
        return ofThisMachine(ahead -> {});
    }

    /** The same, where the store's clock can be set, too: the parameter sets it to how far this one is ahead. */
    public static SettableClock ofThisMachine(Consumer<Duration> store) {
        return new SettableClock(Long.MAX_VALUE, store);
    }

    /** Monotonic, as {@link System#nanoTime()}. */
    public synchronized long nanos() {
        long real = System.nanoTime();
        now += Math.min(real - readAt, most);
        readAt = real;
        return now;
    }

    /** Both clocks in step. */
    public EngineClock engineClock() {
        return new EngineClock(this::nanos, () -> wallOrigin.plusNanos(nanos()));
    }

    /** The threads and randomness of this machine, with this clock. */
    public EngineEnvironment environment() {
        return environment(engineClock());
    }

    /** The same with a clock that reads this one. */
    public EngineEnvironment environment(EngineClock reading) {
        EngineEnvironment usual = EngineEnvironment.of(reading);
        return new EngineEnvironment(
                usual.clock(),
                clock -> {
                    Timer timer = new Timer(usual.newTimer().apply(clock));
                    timers.add(timer);
                    return timer;
                },
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                usual.newCompletionExecutor(),
                usual.identity(),
                usual.jitter());
    }

    /** Moves the clocks forward. */
    public void letPass(Duration time) {
        synchronized (this) {
            now += time.toNanos();
            ahead = ahead.plus(time);
            follower.accept(ahead);
        }
        timers.forEach(timer -> timer.wake(new CompletableFuture<>()));
    }

    /** Returns when the timers have done all that is due now. Not for their own threads. */
    public void settle() throws Exception {
        // What an entry leaves to the end of its tick is done before the next one, which the first round may share.
        for (int i = 0; i < 3; i++) {
            CompletableFuture<?>[] woken = timers.stream()
                    .map(timer -> timer.wake(new CompletableFuture<>()))
                    .toArray(CompletableFuture[]::new);
            CompletableFuture.allOf(woken).get(Patience.SECONDS, TimeUnit.SECONDS);
        }
    }

    private final class Timer implements EngineTimer {

        private final EngineTimer timer;

        Timer(EngineTimer timer) {
            this.timer = timer;
        }

        /** Makes it read the clock: it sleeps until the earliest of its entries. */
        CompletableFuture<Void> wake(CompletableFuture<Void> woken) {
            TimerEntry earliest = new TimerEntry() {
                @Override
                public void fire() {
                    woken.complete(null);
                }
            };
            timer.schedule(earliest, nanos() - EARLIER_NANOS);
            return woken;
        }

        @Override
        public void schedule(TimerEntry entry, long dueNanos) {
            timer.schedule(entry, dueNanos);
        }

        @Override
        public void cancel(TimerEntry entry) {
            timer.cancel(entry);
        }

        @Override
        public void afterEachTick(Runnable step) {
            timer.afterEachTick(step);
        }

        @Override
        public void close() {
            timers.remove(this);
            timer.close();
        }
    }
}
