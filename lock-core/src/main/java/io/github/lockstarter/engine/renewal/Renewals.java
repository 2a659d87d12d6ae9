package io.github.lockstarter.engine.renewal;

import io.github.lockstarter.LockEvent;
import io.github.lockstarter.LockEvent.LossCause;
import io.github.lockstarter.LockEvent.RenewalOutcome;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.event.EventDispatcher;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.LossDetector;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.thread.StackReserve;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;

/**
 * Sends renewals, and carries out what their answers say: the lease goes on, the lock is confirmed, or it is lost. A
 * renewal of a hold that the watchdog does not renew only confirms it: it asks for the shortest lease, and a renewal
 * never shortens one.
 *
 * <p>The timer's thread and callers send; answers come on the backend's threads. Its only state is until when the store
 * defers renewals.
 */
final class Renewals {

    private static final int RETRY_EVERY = 6;

    private static final Duration SHORTEST = Duration.ofMillis(1);

    private static final String MOVED =
            "the lock store failed over, restarted, or let a lock of this instance be taken over meanwhile";

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EventDispatcher events;
    private final LossDetector lossDetector;
    private final Consumer<Hold> releaser;
    private final Consumer<Hold> watch;

    /** On the monotonic clock. */
    private volatile long deferredUntil;

    /** One renewal that was sent. */
    private record Sent(Hold hold, Moment at, Deadline later, long period, Duration lease) {

        /** As no answer, if it is one of a server that the beats do not go to, or do not go to any more. */
        RenewResult counted(RenewResult result) {
            return result instanceof RenewResult.Renewed renewed
                            && !hold.grant.certainty.counts(period, renewed.history())
                    ? new RenewResult.Unknown(MOVED, new IllegalStateException(MOVED))
                    : result;
        }

        boolean extendsLease() {
            return lease.compareTo(SHORTEST) > 0;
        }

        /** When the hold is renewed next: no later than before, if its owner asked for less than its own lease. */
        long renewNextAt() {
            return lease.compareTo(hold.terms.lease()) < 0 ? hold.renewAt() : hold.terms.renewAt(at.nanos());
        }
    }

    /**
     * Renewals of an engine.
     *
     * @param context what the parts of the engine share
     * @param lossDetector ends what is lost
     * @param releaser releases a hold whose owner left it while a renewal of it was written
     * @param watch sets the timer of a hold
     */
    Renewals(EngineContext context, LossDetector lossDetector, Consumer<Hold> releaser, Consumer<Hold> watch) {
        this.backend = context.backend();
        this.clock = context.clock();
        this.deferredUntil = clock.nanos();
        this.events = context.events();
        this.lossDetector = lossDetector;
        this.releaser = releaser;
        this.watch = watch;
    }

    /** Whether the store renews nothing at the moment. */
    boolean areDeferred() {
        return clock.nanos() - deferredUntil < 0;
    }

    /** Renews holds whose renewal has begun, together. */
    void renew(List<Hold> due) {
        List<CompletionStage<RenewResult>> stages = List.of(); // until they are sent
        List<Sent> renewals = List.of();
        try {
            renewals = new ArrayList<>(due.size());
            Moment sent = Moment.now(clock);
            List<RenewCommand> commands = new ArrayList<>(due.size());
            Deadline shared = Deadline.of(sent, 0);
            long sharedLease = 0;
            for (Hold hold : due) {
                Duration lease = leaseOf(hold);
                if (lease.toNanos() != sharedLease) {
                    sharedLease = lease.toNanos();
                    shared = Deadline.of(sent, sharedLease);
                }
                hold.renewNextAt(sent.nanos() + hold.terms.leaseNanos() / RETRY_EVERY);
                renewals.add(new Sent(hold, sent, shared, hold.grant.certainty.period(), lease));
                commands.add(hold.renewCommand(lease));
            }
            stages = backend.renew(commands);
        } finally {
            for (Hold hold : due) {
                if (stages.isEmpty()) {
                    hold.isConfirming = false; // no answer will come
                }
                EngineLog.guard("Ending a renewal", () -> written(hold));
            }
        }
        for (int i = 0; i < stages.size(); i++) {
            Sent renewal = renewals.get(i);
            backend.answer(stages.get(i), result -> {
                try {
                    answered(renewal, renewal.counted(result));
                } finally {
                    renewal.hold.isConfirming = false; // last: a look in between would renew it once more
                }
            });
        }
    }

    private boolean isRenewed(Hold hold) {
        return hold.isRenewed() && !lossDetector.isPastMaxHold(hold);
    }

    private Duration leaseOf(Hold hold) {
        return isRenewed(hold) ? hold.terms.lease() : SHORTEST;
    }

    private void written(Hold hold) {
        if (hold.lifecycle.endRenewal()) {
            releaser.accept(hold);
        } else if (hold.lifecycle.isHeld()) {
            watch.accept(hold);
        }
    }

    private void answered(Sent renewal, RenewResult result) {
        Hold hold = renewal.hold;
        if (!hold.lifecycle.isHeld()) {
            return; // released or lost meanwhile: the answer means nothing any more
        }
        if (result instanceof RenewResult.Renewed) {
            renewed(renewal);
        } else if (result instanceof RenewResult.NotHeld) {
            LossCause cause = hold.causeOfRefusal();
            report(hold, RenewalOutcome.LOST);
            lossDetector.lose(hold, cause);
        } else if (result instanceof RenewResult.Deferred deferred) {
            long next = clock.nanos() + deferred.retryAfter().toNanos();
            deferredUntil = next;
            hold.renewNextAt(next);
            watch.accept(hold);
        } else if (renewal.extendsLease()) {
            hold.renewalFailed();
            report(hold, RenewalOutcome.FAILED);
        }
    }

    private void renewed(Sent renewal) {
        Hold hold = renewal.hold;
        confirmed(hold, renewal.period);
        if (renewal.extendsLease() && hold.lifecycle.renewed(renewal.later)) {
            hold.renewalSucceeded(renewal.renewNextAt());
            report(hold, RenewalOutcome.RENEWED);
            if (hold.lifecycle.isHeld()) {
                watch.accept(hold);
            }
        }
    }

    private void confirmed(Hold hold, long period) {
        Certainty certainty = hold.grant.certainty;
        certainty.confirm(period);
        if (certainty.isCertain()) {
            endDoubt(hold);
        }
    }

    /** Reports that the hold is certain again, if it was in doubt. */
    void endDoubt(Hold hold) {
        hold.grant
                .certainty
                .endDoubt(clock.nanos())
                .ifPresent(doubt ->
                        events.publish(new LockEvent.Confirmed(hold.terms.name(), hold.key, hold.fencingToken, doubt)));
    }

    private void report(Hold hold, RenewalOutcome outcome) {
        events.publish(new LockEvent.Renewed(hold.terms.name(), hold.key, hold.fencingToken, outcome));
    }

    /** Asks at once whether the lock is still there; a hold that is renewed is renewed by that. */
    CompletableFuture<RenewResult> confirm(Hold hold) {
        return ask(hold, leaseOf(hold));
    }

    /**
     * Asks for the lease of the terms at once, on the caller's behalf, and continues the hold on them if it gets it.
     */
    CompletableFuture<RenewResult> extend(Hold hold, LockRequest terms) {
        Duration lease = terms.lease().orElse(hold.terms.lease());
        hold.extended = true;
        if (lease.compareTo(hold.longestLease) > 0) {
            hold.longestLease = lease;
        }
        return ask(hold, lease).thenApply(result -> {
            if (result instanceof RenewResult.Renewed && hold.lifecycle.isHeld()) {
                hold.continueOn(terms);
                watch.accept(hold);
            }
            return result;
        });
    }

    /** Asks once more if the backend asks for that. */
    private CompletableFuture<RenewResult> ask(Hold hold, Duration lease) {
        return askOnce(hold, lease)
                .thenCompose(result -> result instanceof RenewResult.Deferred deferred
                                && deferred.retryAfter().isZero()
                        ? askOnce(hold, lease)
                        : CompletableFuture.completedFuture(result));
    }

    private CompletableFuture<RenewResult> askOnce(Hold hold, Duration lease) {
        StackReserve.ensure();
        return backend.during(() -> askNow(hold, lease));
    }

    private CompletableFuture<RenewResult> askNow(Hold hold, Duration lease) {
        CompletableFuture<RenewResult> answer = new CompletableFuture<>();
        Moment sent = Moment.now(clock);
        Deadline later = Deadline.of(sent, lease.toNanos());
        Sent renewal = new Sent(hold, sent, later, hold.grant.certainty.period(), lease);
        if (!hold.lifecycle.beginRenewal()) {
            answer.complete(new RenewResult.NotHeld());
            return answer;
        }
        CompletionStage<RenewResult> stage;
        try {
            stage = backend.renew(List.of(hold.renewCommand(lease))).get(0);
        } finally {
            written(hold);
        }
        backend.answer(stage, answered -> {
            RenewResult result = renewal.counted(answered);
            try {
                if (result instanceof RenewResult.Renewed) {
                    renewed(renewal);
                } else if (result instanceof RenewResult.NotHeld) {
                    lossDetector.lose(hold, hold.causeOfRefusal());
                }
            } finally {
                answer.complete(result);
            }
        });
        return answer;
    }
}
