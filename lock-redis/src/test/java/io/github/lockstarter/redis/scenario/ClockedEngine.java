package io.github.lockstarter.redis.scenario;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.OnLost;
import io.github.lockstarter.contract.RecordingBackend;
import io.github.lockstarter.contract.RecordingListener;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.EngineTimer;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.TimerEntry;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockBackend;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * An application whose clock a test sets forward, so that leases far longer than a pause of the machine are renewed and
 * end at once. The clock of the server does not change.
 */
final class ClockedEngine implements AutoCloseable {

    private static final TimerEntry NOTHING = new TimerEntry() {
        @Override
        public void fire() {}
    };

    private final AtomicLong aheadNanos = new AtomicLong();
    private final AtomicReference<EngineTimer> timer = new AtomicReference<>();
    private final RecordingBackend backend;
    private final RecordingListener events = new RecordingListener();
    private final EngineClock clock =
            new EngineClock(() -> System.nanoTime() + aheadNanos.get(), InstantSource.system());
    private final LockEngine engine;
    private final LockTemplate locks;

    /** Without crash take-over, so that only renewals and leases depend on the clock. */
    ClockedEngine(LockBackend backend, EngineSettings settings) {
        this.backend = new RecordingBackend(backend);
        this.engine =
                new LockEngine(this.backend, settings.withCrashTakeOver(Duration.ZERO), List.of(events), environment());
        this.locks = new LockTemplate(engine, OnLost.THROW);
    }

    private EngineEnvironment environment() {
        EngineEnvironment usual = EngineEnvironment.of(clock);
        return new EngineEnvironment(
                clock,
                its -> {
                    timer.set(usual.newTimer().apply(its));
                    return timer.get();
                },
                usual.newLossExecutor(),
                usual.newCallbackExecutor(),
                usual.newCompletionExecutor(),
                usual.identity(),
                usual.jitter());
    }

    LockTemplate locks() {
        return locks;
    }

    RecordingBackend backend() {
        return backend;
    }

    RecordingListener events() {
        return events;
    }

    /** Lets this time pass for the engine, whose timer sleeps until the first moment that it knows. */
    void pass(Duration time) {
        long before = clock.nanos();
        aheadNanos.addAndGet(time.toNanos());
        timer.get().schedule(NOTHING, before);
    }

    /** Lets so much pass that each lock with a lease of this length is renewed. */
    void passUntilTheRenewal(Duration lease) {
        pass(lease.dividedBy(3).plusSeconds(1));
    }

    @Override
    public void close() {
        engine.close();
    }
}
