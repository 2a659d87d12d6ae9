package io.github.lockstarter.benchmarks.micro;

import io.github.lockstarter.LockEvent.Acquired;
import io.github.lockstarter.LockEvent.Path;
import io.github.lockstarter.LockEvent.Released;
import io.github.lockstarter.ReleaseOutcome;
import io.github.lockstarter.observe.meter.LockMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.Threads;

/** The cost of the meters for one acquisition and its release; the goal is at most 1 µs. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class MetricsBenchmark {

    private final LockMetrics metrics = new LockMetrics(new SimpleMeterRegistry(), List::of);
    private final Acquired acquired =
            new Acquired("ship-order", "ship-order:42", 17, Duration.ofMillis(1), 1, Path.UNCONTENDED);
    private final Released released =
            new Released("ship-order", "ship-order:42", 17, Duration.ofMillis(2), ReleaseOutcome.RELEASED);

    /** One thread. */
    @Benchmark
    public void recordOne() {
        record();
    }

    /** Four threads that record the same name. */
    @Benchmark
    @Threads(4)
    public void recordTogether() {
        record();
    }

    private void record() {
        metrics.onEvent(acquired);
        metrics.onEvent(released);
    }
}
