package io.github.lockstarter.engine.release;

import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.backend.BackendCalls;
import io.github.lockstarter.engine.backend.RecentRevocations;
import io.github.lockstarter.engine.heartbeat.Certainty;
import io.github.lockstarter.engine.hold.EngineContext;
import io.github.lockstarter.engine.hold.Grant;
import io.github.lockstarter.engine.hold.Hold;
import io.github.lockstarter.engine.hold.Hold.Spec;
import io.github.lockstarter.engine.hold.Holds;
import io.github.lockstarter.engine.queue.AcquireOutcome;
import io.github.lockstarter.engine.queue.Acquisition;
import io.github.lockstarter.engine.queue.HandOverOffer;
import io.github.lockstarter.engine.queue.QueueActions;
import io.github.lockstarter.engine.queue.Waiters;
import io.github.lockstarter.engine.renewal.Watchdog;
import io.github.lockstarter.engine.settings.EngineClock;
import io.github.lockstarter.engine.settings.EngineSettings;
import io.github.lockstarter.engine.thread.EngineLog;
import io.github.lockstarter.engine.timer.Deadline;
import io.github.lockstarter.engine.timer.Deadline.Moment;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Passes a lock on to the next waiter of this instance without asking the backend, within the bounds of its
 * {@link Grant}: lock cohorting (Dice, Marathe, Shavit: Lock Cohorting, PPoPP 2012).
 *
 * <p>Called with a hold whose owner has left it and has to send the release: no other thread can end, renew or hand
 * over the same grant. The successor gets a hold of its own on the same lock token, with the next fencing token and the
 * deadline that the lease has anyway. What the owner did before it left happens before what the successor does. Keeps
 * no state.
 */
public final class HandOver {

    private enum Result {
        /** A waiter has the lock. */
        PASSED,
        /** The first waiter is not renewed and needs its whole lease. */
        NEEDS_RENEWAL,
        /** No waiter may have it. */
        REFUSED
    }

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EngineSettings.HandOver limits;
    private final Holds holds;
    private final RecentRevocations recentRevocations;
    private final Waiters waiters;
    private final Watchdog watchdog;
    private final ReleaseSender releases;

    public HandOver(EngineContext context, Waiters waiters, Watchdog watchdog, ReleaseSender releases) {
        this.backend = context.backend();
        this.clock = context.clock();
        this.limits = context.settings().handOver();
        this.holds = context.holds();
        this.recentRevocations = context.recentRevocations();
        this.waiters = waiters;
        this.watchdog = watchdog;
        this.releases = releases;
    }

    /** Whether the grant goes on, or is ended from here. If not, the caller releases the lock. */
    boolean pass(Hold leaving, Deadline deadline) {
        boolean mayPass = limits.max() > 0 && !leaving.extended && !leaving.isKept() && !leaving.grant.isRevoked();
        if (!mayPass || !waiters.queues().has(leaving.key)) {
            return false;
        }
        Result result = pass(new Offer(leaving, deadline, leaving.renewAt(), Renewal.ON));
        if (result == Result.NEEDS_RENEWAL) {
            arm(leaving);
        }
        return result != Result.REFUSED;
    }

    /** A waiter that is not renewed gets the whole lease: it is chosen when the backend has agreed to that. */
    private void arm(Hold leaving) {
        Moment sent = Moment.now(clock);
        long period = leaving.grant.certainty.period();
        long leaseNanos = leaving.terms.leaseNanos();
        backend.answer(
                backend.renew(List.of(leaving.renewCommand(leaving.terms.lease())))
                        .get(0),
                result -> {
                    Certainty certainty = leaving.grant.certainty;
                    boolean isRenewed = result instanceof RenewResult.Renewed renewed
                            && certainty.counts(period, renewed.history());
                    if (isRenewed) {
                        certainty.confirm(period);
                    }
                    Deadline deadline = Deadline.of(sent, leaseNanos);
                    long renewAt = leaving.terms.renewAt(sent.nanos());
                    if (result instanceof RenewResult.NotHeld) {
                        releases.foundLost(leaving);
                    } else if (!isRenewed
                            || pass(new Offer(leaving, deadline, renewAt, Renewal.OFF)) != Result.PASSED) {
                        releases.release(leaving);
                    }
                });
    }

    /** Throws only before a waiter has the lock: behind that, the caller must not release it. */
    private Result pass(Offer offer) {
        QueueActions next = decision(offer);
        LockToken withdrawal = next.withdrawal();
        if (withdrawal != null) {
            EngineLog.guard("Withdrawing a wait", () -> waiters.withdraw(offer.leaving.key, withdrawal));
        }
        if (next.decided().isEmpty()) {
            return offer.needsRenewal ? Result.NEEDS_RENEWAL : Result.REFUSED;
        }
        Acquisition successor = next.decided().get(0);
        EngineLog.guard("Handing a lock over", () -> {
            releases.handedOver(offer.leaving);
            successor.hold().ifPresent(watchdog::watch);
            successor.hold().ifPresent(watchdog::confirmIfNeeded);
        });
        next.publish();
        return Result.PASSED;
    }

    /** What the queue decided; also if it failed behind that, since the waiter has the lock then. */
    private QueueActions decision(Offer offer) {
        try {
            return waiters.queues().apply(offer.leaving.key, queue -> queue.handOver(offer));
        } catch (RuntimeException | Error e) {
            Optional<Acquisition> successor = offer.successor();
            if (successor.isEmpty()) {
                throw e;
            }
            return QueueActions.NOTHING.publishing(List.of(successor.get()));
        }
    }

    /**
     * Tries one waiter after the other. {@link #needsRenewal}, {@link #waiter} and {@link #offered} belong to the
     * calling thread.
     *
     * <p>{@code least} says which waiters are let in: those that are renewed, or, when the lease was armed, all.
     */
    private final class Offer implements HandOverOffer {

        private final Hold leaving;
        private final Deadline deadline;
        private final long renewAt;
        private final Renewal least;
        private boolean needsRenewal;
        private @Nullable Acquisition waiter;
        private AcquireOutcome.@Nullable Got offered;

        Offer(Hold leaving, Deadline deadline, long renewAt, Renewal least) {
            this.leaving = leaving;
            this.deadline = deadline;
            this.renewAt = renewAt;
            this.least = least;
        }

        @Override
        public Optional<AcquireOutcome.Got> to(Acquisition waiter) {
            long now = clock.nanos();
            // A minimum time counts from a grant of its own, and the store keeps the take-over time of the first owner.
            if (!waiter.terms.lease().equals(leaving.terms.lease())
                    || !waiter.terms.crashTakeOver().equals(leaving.terms.crashTakeOver())
                    || waiter.terms.isKept()
                    || deadline.isOver(clock)
                    || !leaving.grant.certainty.isCertain()
                    || !leaving.grant.allowsHandOver(now, limits)) {
                return Optional.empty();
            }
            needsRenewal = least == Renewal.ON && waiter.terms.renewal() != Renewal.ON;
            OptionalLong fencingToken = needsRenewal ? OptionalLong.empty() : leaving.grant.handOver(now, limits);
            return fencingToken.isEmpty() ? Optional.empty() : hold(waiter, fencingToken.getAsLong());
        }

        /**
         * The hold is added first and the marks are read second; a thread that closes the engine or revokes the lock
         * sets its mark first and looks for the hold second. While there is no hold, as between one that is refused and
         * the next, the revocations say so.
         */
        private Optional<AcquireOutcome.Got> hold(Acquisition waiter, long fencingToken) {
            Spec spec = new Spec(leaving.key, leaving.grant, fencingToken, deadline, renewAt);
            Hold hold = new Hold(spec, waiter, clock, watchdog.timerTask());
            holds.add(hold);
            if (waiters.queues().isClosed() || isTakenAway()) {
                holds.remove(hold);
                return Optional.empty();
            }
            AcquireOutcome.Got got = new AcquireOutcome.Got(hold);
            this.waiter = waiter;
            this.offered = got;
            return Optional.of(got);
        }

        /** The waiter that has the lock, if one took what it was offered. */
        Optional<Acquisition> successor() {
            Acquisition last = waiter;
            AcquireOutcome.Got got = offered;
            if (last == null || got == null || last.wasDecided(got)) {
                return Optional.ofNullable(last);
            }
            holds.remove(got.hold());
            return Optional.empty();
        }

        private boolean isTakenAway() {
            return leaving.grant.isRevoked() || recentRevocations.contains(leaving.key, leaving.grant.token);
        }

        @Override
        public boolean ranOutEarly() {
            return leaving.grant.wasUsedUpWithin(limits.maxTime(), clock.nanos());
        }

        @Override
        public void refused(AcquireOutcome.Got refused) {
            holds.remove(refused.hold());
        }
    }
}
