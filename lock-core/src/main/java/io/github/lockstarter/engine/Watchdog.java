package io.github.lockstarter.engine;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.engine.Deadline.Moment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;

/**
 * Work of the timer's thread for all keys of a run: looks at each key when due, batches the renewals of a tick,
 * confirms holds after each beat, and detects that the machine was suspended.
 *
 * <p>{@link #due}, {@link #ofTick} and {@link #settled} belong to the timer's thread.
 */
final class Watchdog {

    private static final long NEVER = -1;
    private static final long INTERVAL_NANOS = 1_000_000_000;
    private static final long JUMP_MILLIS = 100;

    /** More than a busy machine takes. */
    private static final Duration LONG_PAUSE = Duration.ofSeconds(5);

    private final Running running;
    private final List<RenewAttempt> due = new ArrayList<>();
    /** Effects of the looks of this tick. */
    private final Queue<Runnable> ofTick = new ArrayDeque<>();

    private final TimerEntry confirmation = TimerEntry.of(this::confirm);
    private final TimerEntry everySecond = TimerEntry.of(this::everySecondUntilDone);

    /** Whether a hold may be unconfirmed in the present period. */
    private volatile boolean unsettled;

    /** Period in which all holds were confirmed. */
    private long settled;

    private volatile long deferredUntil;
    private volatile boolean watching;

    /** When the second that is watched began. */
    private volatile Moment last;

    Watchdog(Running running) {
        this.running = running;
        this.last = running.now();
        this.deferredUntil = last.nanos();
    }

    /** Sent at the end of this tick. */
    void addRenewal(RenewAttempt renewal) {
        due.add(renewal);
    }

    /** Executed at the end of this tick, after the renewals. */
    void addToTick(Runnable effects) {
        ofTick.add(effects);
    }

    void afterTick() {
        try {
            if (!due.isEmpty()) {
                List<RenewAttempt> renewals = new ArrayList<>(due);
                due.clear();
                running.sendRenewals(renewals);
            }
        } finally { // one failure keeps back no effects of others, which callers wait for
            for (Runnable effects = ofTick.poll(); effects != null; effects = ofTick.poll()) {
                EngineLog.guard("The effects of a tick", effects);
            }
        }
    }

    /** Until this time, the store renews nothing. */
    void defer(long until) {
        deferredUntil = until;
    }

    /** Schedules confirmations after a beat or its answer. Returns at once. */
    void afterBeat() {
        running.timer.schedule(confirmation, running.now().nanos());
    }

    /** {@link #afterBeat}, even if all holds were confirmed. */
    void confirmAll() {
        unsettled = true;
        afterBeat();
    }

    private void confirm() {
        long period = running.heartbeat.period();
        boolean answered = running.heartbeat.isAnswered();
        if (answered && period == settled && !unsettled) {
            return;
        }
        Moment now = running.now();
        unsettled = false;
        boolean deferred = now.nanos() - deferredUntil < 0;
        running.forEach(lock -> {
            try {
                running.runInTick(lock, (todo, later) -> {
                    if (!lock.held().confirm(todo, now, deferred)) {
                        unsettled = true; // other threads set it too
                    }
                });
            } catch (RuntimeException | Error failure) {
                unsettled = true; // the next beat confirms again
                if (lock.failure == null) { // otherwise the next event of the key reports it
                    throw failure;
                }
            }
        });
        settled = answered ? period : NEVER;
    }

    boolean isWatching() {
        return watching;
    }

    void begin() {
        if (!watching) {
            watching = true;
            Moment now = running.now();
            last = now;
            try {
                running.timer.schedule(everySecond, now.nanos() + INTERVAL_NANOS);
            } catch (RuntimeException | Error e) {
                watching = false;
                throw e;
            }
        }
    }

    private void everySecondUntilDone() {
        try {
            everySecond();
        } catch (RuntimeException | Error e) {
            running.timer.schedule(everySecond, running.beganAt); // retried, as the look of a key
            throw e;
        }
    }

    private void everySecond() {
        Moment now = running.now();
        long nanos = now.nanos() - last.nanos();
        long ahead = now.wallMillis() - last.wallMillis() - nanos / 1_000_000;
        last = now;
        Duration paused = Duration.ofNanos(nanos - INTERVAL_NANOS).plusMillis(Math.max(0, ahead));
        if (paused.compareTo(LONG_PAUSE) > 0) {
            EngineLog.warn(
                    "This JVM was paused for about {} and renewed no lock meanwhile, or its clock was set",
                    DurationText.of(paused));
        }
        if (ahead > JUMP_MILLIS) {
            running.forEach(lock -> running.runInTick(lock, lock::look));
        }
        watching = false;
        if (running.size() > 0) {
            begin();
        }
    }
}
