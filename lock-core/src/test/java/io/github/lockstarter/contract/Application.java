package io.github.lockstarter.contract;

import static org.awaitility.Awaitility.await;

import io.github.lockstarter.LockAdmin;
import io.github.lockstarter.LockAdmin.StoreState.CrashTakeover;
import io.github.lockstarter.LockTemplate;
import io.github.lockstarter.LockTerms;
import io.github.lockstarter.engine.EngineEnvironment;
import io.github.lockstarter.engine.LockEngine;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.kit.Patience;
import io.github.lockstarter.spi.LockBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;

/** One application instance: backend, engine, template and a listener that records events. */
public final class Application implements AutoCloseable {

    /** Long leases, short waits and short retry delays. */
    public static final EngineSettings SETTINGS = settings(Duration.ofSeconds(10));

    /** The same, and leases, waits and the time until a takeover outlast any pause of the machine. */
    static final EngineSettings PATIENT = settings(
                    Patience.TIME, Optional.empty(), Duration.ofMillis(200), Patience.TIME)
            .withCrashTakeover(Patience.TIME);

    private final RecordingBackend backend;
    private final RecordingListener events = new RecordingListener();
    private final LockEngine engine;
    private final LockTemplate locks;

    private Application(
            LockBackend backend, EngineSettings settings, EngineEnvironment environment, OpenCommands open) {
        this.backend = new RecordingBackend(backend, open);
        this.engine = new LockEngine(this.backend, settings, List.of(events), environment);
        this.locks = new LockTemplate(engine);
    }

    public static Application over(LockBackend backend) {
        return over(backend, SETTINGS);
    }

    public static Application over(LockBackend backend, EngineSettings settings) {
        return over(backend, settings, EngineEnvironment.of(EngineClock.SYSTEM), new OpenCommands());
    }

    static Application over(
            LockBackend backend, EngineSettings settings, EngineEnvironment environment, OpenCommands open) {
        return new Application(backend, settings, environment, open);
    }

    public static EngineSettings settings(Duration lease) {
        return settings(lease, Optional.empty());
    }

    public static EngineSettings settings(Duration lease, Optional<Duration> maxHold) {
        return settings(lease, maxHold, Duration.ofMillis(200), Duration.ofSeconds(10));
    }

    /** Long retry delays: an earlier attempt is caused by a signal. */
    public static EngineSettings settingsThatTrustSignals() {
        return settings(Duration.ofSeconds(60), Optional.empty(), Duration.ofMinutes(5), Duration.ofSeconds(10))
                .withCrashTakeover(Duration.ZERO);
    }

    private static EngineSettings settings(
            Duration lease, Optional<Duration> maxHold, Duration maxRetryDelay, Duration maxWait) {
        LockTerms terms = LockTerms.NONE.lease(lease).maxWait(maxWait);
        return new EngineSettings(
                maxHold.map(terms::maxHold).orElse(terms),
                Duration.ofMinutes(10),
                maxRetryDelay,
                EngineSettings.Handover.DEFAULTS,
                EngineSettings.DEFAULTS.shownPlace(),
                EngineSettings.DEFAULTS.warnAfter(),
                Map.of());
    }

    /** The same with other limits for handovers. */
    public static EngineSettings with(EngineSettings.Handover handover, EngineSettings settings) {
        return new EngineSettings(
                settings.terms(),
                settings.maxLease(),
                settings.maxRetryDelay(),
                handover,
                settings.shownPlace(),
                settings.warnAfter(),
                settings.locks());
    }

    public LockTemplate locks() {
        return locks;
    }

    public LockAdmin admin() {
        return engine.admin();
    }

    /** Waits until the store answers beats, so that locks acquired from now on can be taken over. */
    public void awaitTakeover() {
        await().until(() -> admin().storeState()
                        .get(Patience.SECONDS, TimeUnit.SECONDS)
                        .crashTakeover()
                        .state()
                == CrashTakeover.State.ON);
    }

    public LockEngine engine() {
        return engine;
    }

    public RecordingBackend backend() {
        return backend;
    }

    public RecordingListener events() {
        return events;
    }

    /** Closes the engine; the backend belongs to the store. */
    @Override
    public void close() {
        engine.close();
    }
}
