package io.github.lockstarter.engine;

import io.github.lockstarter.LockAdmin.StoreState.CrashTakeOver;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.spi.CrashDetection;
import io.github.lockstarter.spi.LockBackend;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.TakeOverCondition;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The {@link Heartbeat}s of an engine, one for each store that detects crashes; none where no lock is ever taken over.
 * Thread-safe; immutable.
 */
final class Heartbeats {

    private static final String UNANSWERED = "The store does not answer this instance at the moment: the locks that it"
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
     * @param listener called on any thread
     */
    Heartbeats(
            LockBackend backend,
            EngineSettings settings,
            EngineClock clock,
            EngineTimer timer,
            HeartbeatListener listener) {
        this.backend = backend;
        this.isConfigured = settings.shortestCrashTakeOver().isPresent();
        Optional<Duration> shortest = settings.shortestCrashTakeOver();
        for (CrashDetection each : backend.crashDetections()) {
            // A session ends whether or not a take-over is configured.
            each.certainTime()
                    .or(() -> shortest)
                    .ifPresent(time -> beating.put(each, new Heartbeat(each, clock, timer, time, listener)));
        }
    }

    /** Beats as soon as possible; once more if it has begun. */
    void begin() {
        beating.values().forEach(Heartbeat::begin);
    }

    /**
     * The take-over time that the token of an attempt may promise.
     *
     * @param key the lock's key
     * @param takeOver what is configured
     * @param lease the lease: what a later take-over could not shorten is left to it
     * @return in milliseconds; 0 if the lease or the session is to decide, also since the store has not answered a beat
     *     yet, or does not answer any more
     */
    long takeOverMillis(String key, Duration takeOver, Duration lease) {
        if (beating.isEmpty() || takeOver.isZero() || takeOver.compareTo(lease) >= 0) {
            return 0;
        }
        Heartbeat heartbeat = of(key);
        boolean promises = heartbeat != null && !heartbeat.isOfSession() && heartbeat.isAnswered();
        return promises ? takeOver.toMillis() : 0;
    }

    /** The heartbeat that decides whether a grant to the token is certain; null if only its lease does. */
    @Nullable
    Heartbeat deciding(String key, LockToken token) {
        Heartbeat heartbeat = of(key);
        return heartbeat == null || (token.takeOverMillis() == 0 && !heartbeat.isOfSession()) ? null : heartbeat;
    }

    /** What the tokens of locks with this key ask for, if they promise a take-over time. */
    TakeOverCondition takeOverCondition(String key) {
        Heartbeat heartbeat = of(key);
        return heartbeat == null ? TakeOverCondition.NONE : heartbeat.takeOverCondition();
    }

    /** How many periods there were, of all heartbeats: grows whenever locks have to be confirmed. */
    long periods() {
        return beating.values().stream().mapToLong(Heartbeat::period).sum();
    }

    /** Whether every store answers. */
    boolean areAnswered() {
        return beating.values().stream().allMatch(Heartbeat::isAnswered);
    }

    /** Whether locks are taken over, as configured, and as far as the store is known. Asks nothing. */
    CrashTakeOver supported() {
        CrashTakeOver byStore = backend.crashTakeOver();
        return isConfigured || byStore.state() == CrashTakeOver.State.UNNEEDED
                ? byStore
                : CrashTakeOver.off("distributed-lock.crash-takeover is 0");
    }

    /** Whether locks are taken over at the moment. Asks nothing. */
    CrashTakeOver state() {
        CrashTakeOver supported = supported();
        return supported.state() != CrashTakeOver.State.ON || areAnswered()
                ? supported
                : new CrashTakeOver(CrashTakeOver.State.INTERRUPTED, UNANSWERED, "");
    }

    /** Whether the beats ask about the owner of the lock with this key, and are answered. */
    boolean lookAtOwners(String key) {
        Heartbeat heartbeat = of(key);
        return heartbeat != null && !heartbeat.isOfSession() && heartbeat.isAnswered();
    }

    /** Whether a release of the lock with this key reaches its waiters here, according to the last beat. */
    boolean hearsSignals(String key) {
        Heartbeat heartbeat = of(key);
        return heartbeat != null && heartbeat.hearsSignals();
    }

    /** Whether locks with this key are at the store that detects crashes in this way. */
    boolean isAt(String key, CrashDetection detection) {
        return backend.crashDetection(key).filter(detection::equals).isPresent();
    }

    private @Nullable Heartbeat of(String key) {
        Optional<CrashDetection> detection = backend.crashDetection(key);
        return detection.isPresent() ? beating.get(detection.get()) : null; // on the hot path: no lambda
    }
}
