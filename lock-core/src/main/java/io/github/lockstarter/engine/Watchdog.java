package io.github.lockstarter.engine;

import io.github.lockstarter.engine.Deadline.Moment;
import java.util.ArrayList;
import java.util.List;

/**
 * What the timer's thread does for all keys: it looks at each key when its time has come, sends the renewals that are
 * due in one tick together, confirms holds after each heartbeat, completes what failed threads have left, and notices
 * that the machine was suspended.
 *
 * <p>{@link #due} belongs to the timer's thread, as {@link #settled}.
 */
final class Watchdog {

    private static final long NEVER = -1;
    private static final long PERIOD_NANOS = 1_000_000_000;
    private static final long JUMP_MILLIS = 100;

    private final Running shared;
    private final List<Renewal> due = new ArrayList<>();
    private final TimerEntry confirmation = TimerEntry.of(this::confirm);
    private final TimerEntry everySecond = TimerEntry.of(this::everySecondUntilDone);

    /** A hold may be in an earlier period of the heartbeat. */
    private volatile boolean isUnsettled;

    /** The period in which all holds were certain. */
    private long settled;

    private volatile long deferredUntil;
    private volatile boolean isWatching;
    private Moment last;

    Watchdog(Running shared) {
        this.shared = shared;
        this.last = shared.now();
        this.deferredUntil = last.nanos();
    }

    /** A key's time has come. */
    void look(KeyLock lock) {
        shared.run(todo -> lock.look(todo, shared.now()));
    }

    /** Sends the renewal after this tick, with the others. */
    void renew(Renewal renewal) {
        due.add(renewal);
    }

    /** After each tick of the timer, on its thread. */
    void afterTick() {
        try {
            sendDue();
        } finally {
            finish();
        }
    }

    private void sendDue() {
        if (!due.isEmpty()) {
            List<Renewal> renewals = new ArrayList<>(due);
            due.clear();
            shared.renew(renewals);
        }
    }

    private void finish() {
        if (shared.hasUnfinished) {
            shared.hasUnfinished = false;
            shared.forEach(lock ->
                    EngineLog.guard("Completing a release", () -> shared.run(todo -> lock.finish(todo, shared.now()))));
        }
        shared.carryOutLeftovers();
    }

    /** The store renews nothing before that. */
    void defer(long until) {
        deferredUntil = until;
    }

    /** A heartbeat was sent, or answered. Returns at once. */
    void afterBeat() {
        shared.timer.schedule(confirmation, shared.now().nanos());
    }

    /** The same, whatever was confirmed before. */
    void confirmAll() {
        isUnsettled = true;
        afterBeat();
    }

    private void confirm() {
        long period = shared.heartbeat.period();
        boolean isAnswered = shared.heartbeat.isAnswered();
        if (isAnswered && period == settled && !isUnsettled) {
            return;
        }
        Moment now = shared.now();
        isUnsettled = false;
        boolean isDeferred = now.nanos() - deferredUntil < 0;
        shared.forEach(lock -> shared.run(todo -> {
            if (!lock.confirm(todo, now, isDeferred)) {
                isUnsettled = true;
            }
        }));
        settled = isAnswered ? period : NEVER;
    }

    boolean isWatching() {
        return isWatching;
    }

    /** Something is held, or left by a thread that failed. */
    void begin() {
        if (!isWatching) {
            isWatching = true;
            try {
                shared.timer.schedule(everySecond, shared.now().nanos() + PERIOD_NANOS);
            } catch (RuntimeException | Error e) {
                isWatching = false;
                throw e;
            }
        }
    }

    private void everySecondUntilDone() {
        try {
            everySecond();
        } catch (RuntimeException | Error e) {
            shared.timer.schedule(everySecond, shared.beganAt); // repeated, as the look of a key
            throw e;
        }
    }

    private void everySecond() {
        Moment now = shared.now();
        long ahead = now.wallMillis() - last.wallMillis() - (now.nanos() - last.nanos()) / 1_000_000;
        last = now;
        if (ahead > JUMP_MILLIS) {
            shared.forEach(this::look);
        }
        isWatching = false;
        if (shared.size() > 0) {
            begin();
        }
    }
}
