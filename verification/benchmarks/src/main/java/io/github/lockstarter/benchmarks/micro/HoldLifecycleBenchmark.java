package io.github.lockstarter.benchmarks.micro;

import io.github.lockstarter.engine.hold.HoldLifecycle;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** What the states of a hold cost. */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HoldLifecycleBenchmark {

    private static final long LEASE = Duration.ofHours(1).toNanos();

    private final HoldLifecycle held = newLifecycle();

    private static HoldLifecycle newLifecycle() {
        return new HoldLifecycle(EngineClock.SYSTEM, Deadline.of(Moment.now(EngineClock.SYSTEM), LEASE));
    }

    /**
     * One hold from grant to release.
     *
     * @return whether it ended
     */
    @Benchmark
    public boolean grantAndRelease() {
        HoldLifecycle lifecycle = newLifecycle();
        lifecycle.exit();
        return lifecycle.released();
    }

    /**
     * A nested entry and its end.
     *
     * @return what the owner has to do
     */
    @Benchmark
    public Object nest() {
        held.enter();
        return held.exit();
    }

    /**
     * A renewal from its claim to the later deadline.
     *
     * @return whether it took effect
     */
    @Benchmark
    public boolean renew() {
        held.beginRenewal();
        held.endRenewal();
        return held.renewed(Deadline.of(Moment.now(EngineClock.SYSTEM), LEASE));
    }

    /**
     * The question whether it is still held.
     *
     * @return that it is
     */
    @Benchmark
    public boolean isHeld() {
        return held.isHeld();
    }
}
