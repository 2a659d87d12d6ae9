package io.github.lockstarter.engine.heartbeat;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.engine.heartbeat.Certainty.Confirmation;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.engine.timer.TimerWheel;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Heartbeat}s of an engine, one for each store that detects crashes; none where no lock is ever taken over.
 * Thread-safe; immutable.
 */
public final class Heartbeats {

    private static final String UNHEARD = "The store does not hear this instance at the moment: the locks that it"
            + " acquires now are left to their leases if it crashes, and those that it has may be taken over";

    private final LockBackend backend;
    private final boolean isConfigured;
    private final Map<CrashDetection, Heartbeat> beating = new HashMap<>();

    /**
     * Heartbeats that have not begun.
     *
     * @param backend which stores there are
     * @param settings whether and when locks are taken over
     * @param clock the clocks
     * @param timer runs them
     * @param afterBeat called after each question and after each answer, on any thread; returns at once
     */
    public Heartbeats(
            LockBackend backend, EngineSettings settings, EngineClock clock, TimerWheel timer, Runnable afterBeat) {
        this.backend = backend;
        this.isConfigured = settings.shortestCrashTakeOver().isPresent();
        Optional<Duration> shortest = settings.shortestCrashTakeOver();
        for (CrashDetection each : backend.crashDetections()) {
            // A session ends whether or not a take-over is configured.
            each.certainTime()
                    .or(() -> shortest)
                    .ifPresent(time -> beating.put(each, new Heartbeat(each, clock, timer, time, afterBeat)));
        }
    }

    /** Asks as soon as possible; once more if it has begun. */
    public void begin() {
        beating.values().forEach(Heartbeat::begin);
    }

    /**
     * The take-over time that the token of an attempt may promise.
     *
     * @param key the lock's key
     * @param takeOver what is configured
     * @param lease the lease: what a later take-over could not shorten is left to it
     * @return in milliseconds; 0 if the lease or the session is to decide, also since the store does not hear this
     *     instance
     */
    public long takeOverMillis(String key, Duration takeOver, Duration lease) {
        if (beating.isEmpty() || takeOver.isZero() || takeOver.compareTo(lease) >= 0) {
            return 0;
        }
        Heartbeat heartbeat = of(key);
        boolean promises = heartbeat != null && !heartbeat.isOfSession() && heartbeat.isPerhapsHeard();
        return promises ? takeOver.toMillis() : 0;
    }

    /** The certainty of what an attempt is granted that is sent after this call. */
    public Certainty certaintyOf(String key, LockToken token, Moment sent) {
        Heartbeat heartbeat = of(key);
        return heartbeat == null || (token.takeOverMillis() == 0 && !heartbeat.isOfSession())
                ? Certainty.BY_LEASE
                : new Certainty(
                        heartbeat,
                        TimeUnit.MILLISECONDS.toNanos(token.takeOverMillis()),
                        new Confirmation(heartbeat.epoch(), sent));
    }

    /** How many epochs there were, of all heartbeats: grows whenever locks have to be confirmed. */
    public long epochs() {
        return beating.values().stream().mapToLong(Heartbeat::epochs).sum();
    }

    /** Whether every store hears this instance. */
    public boolean areHeard() {
        return beating.values().stream().allMatch(Heartbeat::isHeard);
    }

    /** Whether locks are taken over, as configured, and as far as the store is known. Asks nothing. */
    public CrashTakeOver supported() {
        CrashTakeOver byStore = backend.crashTakeOver();
        return isConfigured || byStore.state() == CrashTakeOver.State.UNNEEDED
                ? byStore
                : CrashTakeOver.off("distributed-lock.crash-takeover is 0");
    }

    /** Whether locks are taken over at the moment. Asks nothing. */
    public CrashTakeOver state() {
        CrashTakeOver supported = supported();
        return supported.state() != CrashTakeOver.State.ON || areHeard()
                ? supported
                : new CrashTakeOver(CrashTakeOver.State.INTERRUPTED, UNHEARD, "");
    }

    private @Nullable Heartbeat of(String key) {
        return backend.crashDetection(key).map(beating::get).orElse(null);
    }
}
