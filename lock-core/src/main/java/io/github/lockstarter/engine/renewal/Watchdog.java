package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.thread.StackReserve;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.engine.timer.TimerWheel;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Renews what is held and finds what is lost, on the one timer thread. A lease is renewed when about a third of it has
 * passed, and again every sixth until an answer comes; the renewals that are due in one tick travel together. At its
 * deadline a hold is lost, whether or not the backend can be reached.
 *
 * <p>{@link #due} belongs to the timer's thread. Answers come on the backend's threads, extensions on the callers'.
 */
public final class Watchdog {

    private static final int RETRY_EVERY = 6;

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EventDispatcher events;
    private final Holds holds;
    private final LossDetector lossDetector;
    private final Consumer<Hold> releaser;
    private final TimerWheel timer;
    private final SuspendDetector suspendWatch;
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
        this.backend = context.backend();
        this.clock = context.clock();
        this.events = context.events();
        this.holds = context.holds();
        this.timer = context.timer();
        this.lossDetector = lossDetector;
        this.releaser = releaser;
        this.suspendWatch = new SuspendDetector(context, lossDetector);
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
        Moment sent = Moment.now(clock);
        List<CompletionStage<RenewResult>> stages = List.of();
        try {
            List<RenewCommand> commands = new ArrayList<>(renewing.size());
            for (Hold hold : renewing) {
                hold.renewNextAt(sent.nanos() + hold.terms.leaseNanos() / RETRY_EVERY);
                commands.add(hold.renewCommand(hold.terms.lease()));
            }
            stages = backend.renew(commands);
        } finally {
            for (Hold hold : renewing) {
                EngineLog.guard("Ending a renewal", () -> written(hold));
            }
        }
        await(renewing, stages, sent);
    }

    /** Holds with the same lease share the deadline that this renewal gives them. */
    private void await(List<Hold> renewing, List<CompletionStage<RenewResult>> stages, Moment sent) {
        long leaseNanos = 0;
        Deadline shared = Deadline.of(sent, leaseNanos);
        for (int i = 0; i < stages.size(); i++) {
            Hold hold = renewing.get(i);
            if (hold.terms.leaseNanos() != leaseNanos) {
                leaseNanos = hold.terms.leaseNanos();
                shared = Deadline.of(sent, leaseNanos);
            }
            Deadline later = shared;
            backend.answer(stages.get(i), result -> answered(hold, sent, later, result));
        }
    }

    private void written(Hold hold) {
        if (hold.lifecycle.endRenewal()) {
            releaser.accept(hold);
        } else if (hold.lifecycle.isHeld()) {
            watch(hold);
        }
    }

    private void answered(Hold hold, Moment sent, Deadline later, RenewResult result) {
        if (!hold.lifecycle.isHeld()) {
            return; // released or lost meanwhile: the answer means nothing any more
        }
        if (result instanceof RenewResult.Renewed) {
            renewed(hold, sent, later);
        } else if (result instanceof RenewResult.NotHeld) {
            report(hold, RenewalOutcome.LOST);
            lossDetector.lose(hold, LossCause.OWNER_CHANGED);
        } else if (result instanceof RenewResult.Deferred deferred) {
            hold.renewNextAt(clock.nanos() + deferred.retryAfter().toNanos());
            watch(hold);
        } else {
            hold.renewalFailed();
            report(hold, RenewalOutcome.FAILED);
        }
    }

    private void renewed(Hold hold, Moment sent, Deadline later) {
        if (hold.lifecycle.renewed(later)) {
            hold.renewalSucceeded(hold.terms.renewAt(sent.nanos()));
            report(hold, RenewalOutcome.RENEWED);
            if (hold.lifecycle.isHeld()) {
                watch(hold);
            }
        }
    }

    private void report(Hold hold, RenewalOutcome outcome) {
        events.publish(new LockEvent.Renewed(hold.terms.name(), hold.key, hold.fencingToken, outcome));
    }

    private void reportHeldLong(Hold hold) {
        events.publish(new LockEvent.HeldLong(
                hold.terms.name(),
                hold.key,
                hold.fencingToken,
                hold.held(),
                Optional.ofNullable(hold.owner.acquiredBy())));
    }

    /** Asks for more time at once, on the caller's behalf; once more if the backend asks for that. */
    public CompletableFuture<RenewResult> extend(Hold hold, Duration lease) {
        return extendOnce(hold, lease)
                .thenCompose(result -> result instanceof RenewResult.Deferred deferred
                                && deferred.retryAfter().isZero()
                        ? extendOnce(hold, lease)
                        : CompletableFuture.completedFuture(result));
    }

    private CompletableFuture<RenewResult> extendOnce(Hold hold, Duration lease) {
        StackReserve.ensure();
        return backend.during(() -> extendNow(hold, lease));
    }

    private CompletableFuture<RenewResult> extendNow(Hold hold, Duration lease) {
        CompletableFuture<RenewResult> answer = new CompletableFuture<>();
        Moment sent = Moment.now(clock);
        if (!hold.lifecycle.beginRenewal()) {
            answer.complete(new RenewResult.NotHeld());
            return answer;
        }
        CompletionStage<RenewResult> stage;
        try {
            hold.extended = true;
            if (lease.compareTo(hold.longestLease) > 0) {
                hold.longestLease = lease;
            }
            stage = backend.renew(List.of(hold.renewCommand(lease))).get(0);
        } finally {
            written(hold);
        }
        backend.answer(stage, result -> {
            try {
                if (result instanceof RenewResult.Renewed) {
                    renewed(hold, sent, Deadline.of(sent, lease.toNanos()));
                } else if (result instanceof RenewResult.NotHeld) {
                    lossDetector.lose(hold, LossCause.OWNER_CHANGED);
                }
            } finally {
                answer.complete(result);
            }
        });
        return answer;
    }
}
