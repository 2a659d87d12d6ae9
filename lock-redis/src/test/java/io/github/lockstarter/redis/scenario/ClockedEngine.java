package io.github.lockstarter.redis.scenario;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.contract.RecordingBackend;
import io.github.lockstarter.contract.RecordingListener;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.testing.SettableClock;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * An application whose clock a test sets forward, so that leases far longer than a pause of the machine are renewed and
 * end at once. The clock of the server does not change.
 */
public final class ClockedEngine implements AutoCloseable {

    /** Of real time before the first step of {@link #passUntil}; doubled with each. */
    private static final Duration FIRST_PAUSE = Duration.ofMillis(200);

    /** Of a lease: while a test waits, a renewal without an answer is repeated three times, and no lease ends. */
    private static final int STEPS = 14;

    private final SettableClock clock = SettableClock.ofThisMachine();
    private final RecordingBackend backend;
    private final RecordingListener events = new RecordingListener();
    private final LockEngine engine;
    private final LockTemplate locks;
    private final Duration step;

    /** Without crash takeover, so that only renewals and leases depend on the clock. */
    public ClockedEngine(LockBackend backend, EngineSettings settings) {
        this.backend = new RecordingBackend(backend);
        EngineSettings its = settings.withCrashTakeover(Duration.ZERO);
        this.engine = new LockEngine(this.backend, its, List.of(events), clock.environment());
        this.locks = new LockTemplate(engine);
        this.step = its.lease().dividedBy(STEPS);
    }

    public LockTemplate locks() {
        return locks;
    }

    RecordingBackend backend() {
        return backend;
    }

    RecordingListener events() {
        return events;
    }

    /** Lets this time pass for the engine. */
    void pass(Duration time) {
        clock.letPass(time);
    }

    /** Lets so much pass that each lock with a lease of this length is renewed. */
    public void passUntilTheRenewal(Duration lease) {
        pass(lease.dividedBy(3).plusSeconds(1));
    }

    /** Lets time pass, and with it further attempts, until this has happened. */
    public void passUntil(Callable<Boolean> happened) {
        passUntil(List.of(this), happened);
    }

    /** Ever more slowly, so that a slow answer of the server does not cost a lease. */
    static void passUntil(List<ClockedEngine> applications, Callable<Boolean> happened) {
        long[] pause = {FIRST_PAUSE.toNanos()};
        long[] since = {System.nanoTime()};
        await().until(() -> {
            if (System.nanoTime() - since[0] >= pause[0]) {
                applications.forEach(each -> each.pass(each.step));
                pause[0] *= 2;
                since[0] = System.nanoTime();
            }
            return happened.call();
        });
    }

    @Override
    public void close() {
        engine.close();
    }
}
