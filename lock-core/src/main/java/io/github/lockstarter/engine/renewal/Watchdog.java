package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.timer.EngineTimer;
import io.github.lockstarter.spi.RenewResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;

/**
 * Decides what is renewed and finds what is lost, on the one timer thread. A lease is renewed when about a third of it
 * has passed, and again every sixth until an answer comes; the {@link Renewals} that are due in one tick travel
 * together. At its deadline a hold is lost, whether or not the backend can be reached.
 *
 * <p>{@link #due} belongs to the timer's thread.
 */
public final class Watchdog {

    private final EngineClock clock;
    private final EventDispatcher events;
    private final Holds holds;
    private final LossDetector lossDetector;
    private final EngineTimer timer;
    private final SuspendDetector suspendWatch;
    private final Renewals renewals;
    private final Confirmations confirmations;
    private final List<Hold> due = new ArrayList<>();
    private final Consumer<Hold> timerTask = this::look;
    private volatile Consumer<Hold> onUnreachable = hold -> {};

    /**
     * A watchdog.
     *
     * @param context what the parts of the engine share
     * @param lossDetector ends what is lost
     * @param releaser releases a hold whose owner left it while a renewal of it was written
     */
    public Watchdog(EngineContext context, LossDetector lossDetector, Consumer<Hold> releaser) {
        this.clock = context.clock();
        this.events = context.events();
        this.holds = context.holds();
        this.timer = context.timer();
        this.lossDetector = lossDetector;
        this.suspendWatch = new SuspendDetector(context, lossDetector);
        this.renewals = new Renewals(context, lossDetector, releaser, this::watch);
        this.confirmations = new Confirmations(context, due::add, renewals);
    }

    /** Looks at the hold when its next renewal is due, its lease is over, or it has lasted long. */
    public void watch(Hold hold) {
        long deadline = hold.lifecycle.deadline().nanos();
        long renewal = hold.renewAt();
        boolean renews = hold.isRenewed() && !lossDetector.isPastMaxHold(hold) && renewal - deadline < 0;
        timer.schedule(hold, hold.lookBy(renews ? renewal : deadline));
        suspendWatch.begin();
    }

    /** What a hold calls when its time on the timer has come. */
    public Consumer<Hold> timerTask() {
        return timerTask;
    }

    /** Called on the timer's thread with each look at a hold that is renewed and that no code can release. */
    public void ifUnreachable(Consumer<Hold> action) {
        onUnreachable = action;
    }

    private void look(Hold hold) {
        if (hold.lifecycle.isLost()) {
            forgetInTime(hold);
            return;
        }
        if (!lossDetector.checkHeld(hold)) {
            return;
        }
        if (hold.isRenewed() && hold.isUnreachable()) {
            onUnreachable.accept(hold);
        }
        long now = clock.nanos();
        boolean lastsLong = hold.claimHeldLongReport(now);
        boolean renewNow = hold.isRenewed()
                && hold.renewAt() - now <= 0
                && !lossDetector.isPastMaxHold(hold)
                && hold.lifecycle.beginRenewal();
        if (renewNow) {
            due.add(hold);
        } else if (hold.lifecycle.isHeld()) {
            watch(hold);
        }
        // Last and guarded, since the renewals matter more; the hold may have ended above.
        if (lastsLong && hold.lifecycle.isHeld()) {
            EngineLog.guard("Reporting a hold that lasts long", () -> reportHeldLong(hold));
        }
    }

    /** Its owner never came back. A renewal that raced with the loss may have set the timer too early. */
    private void forgetInTime(Hold hold) {
        long forgetAt = hold.forgetAt;
        if (forgetAt == 0) {
            return; // the thread that signals the loss is about to set the timer
        }
        if (clock.nanos() - forgetAt >= 0) {
            holds.remove(hold);
        } else {
            timer.schedule(hold, forgetAt);
        }
    }

    /** After each tick of the timer, on its thread. */
    public void renewDue() {
        if (due.isEmpty()) {
            return;
        }
        List<Hold> renewing = new ArrayList<>(due);
        due.clear();
        renewals.renew(renewing);
    }

    private void reportHeldLong(Hold hold) {
        events.publish(new LockEvent.HeldLong(
                hold.terms.name(),
                hold.key,
                hold.fencingToken,
                hold.held(),
                Optional.ofNullable(hold.owner.acquiredBy())));
    }

    /** Asks for the lease of the terms on the caller's behalf, and continues the hold on them if it gets it. */
    public CompletableFuture<RenewResult> extend(Hold hold, LockRequest terms) {
        return renewals.extend(hold, terms);
    }

    /** Asks at once whether the lock is still there, on the caller's behalf. */
    public CompletableFuture<RenewResult> confirm(Hold hold) {
        return renewals.confirm(hold);
    }

    /** A heartbeat was sent, or answered: confirms holds that are in doubt, or may come into doubt. Returns at once. */
    public void afterBeat() {
        confirmations.check();
    }

    /** A grant was asked for before an interruption, perhaps: then it is confirmed. */
    public void confirmIfNeeded(Hold hold) {
        if (!hold.grant.certainty.isSettled()) {
            confirmations.checkAll();
        }
    }
}
