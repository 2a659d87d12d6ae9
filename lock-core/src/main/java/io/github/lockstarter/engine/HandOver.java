package io.github.lockstarter.engine;

import io.github.lockstarter.Renewal;
import io.github.lockstarter.engine.Deadline.Moment;
import io.github.lockstarter.engine.Hold.Grant;
import io.github.lockstarter.spi.LockToken;
import io.github.lockstarter.spi.RenewResult;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/**
 * Passes a lock on to the next waiter of this instance without asking the backend, within the bounds of its
 * {@link Tenure}: lock cohorting (Dice, Marathe, Shavit: Lock Cohorting, PPoPP 2012).
 *
 * <p>Called with a hold whose owner has left it and was told to send the release: nobody else can end, renew or hand over
 * the same tenure. The successor gets a hold of its own on the same lock token, with the next fencing token and the deadline
 * that the lease has anyway. What the owner did before it left happens before what the successor does. Keeps no state.
 */
final class HandOver {

    private enum Verdict {
        /** A waiter has the lock. */
        PASSED,
        /** The first waiter is not renewed and needs its whole lease. */
        TO_BE_ARMED,
        /** Nobody may have it. */
        NOBODY
    }

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EngineSettings.HandOver limits;
    private final Holds holds;
    private final Revocations revocations;
    private final Waiters waiters;
    private final Watchdog watchdog;
    private final Releases releases;

    HandOver(Core core, Waiters waiters, Watchdog watchdog, Releases releases) {
        this.backend = core.backend();
        this.clock = core.clock();
        this.limits = core.settings().handOver();
        this.holds = core.holds();
        this.revocations = core.revocations();
        this.waiters = waiters;
        this.watchdog = watchdog;
        this.releases = releases;
    }

    /** Whether the tenure goes on, or is ended from here. If not, the caller releases the lock. */
    boolean pass(Hold leaving, Deadline deadline) {
        if (!limits.isOn() || leaving.extended || !waiters.queues().has(leaving.key)) {
            return false;
        }
        Verdict verdict = pass(new Line(leaving, deadline, leaving.renewAt(), Renewal.ON));
        if (verdict == Verdict.TO_BE_ARMED) {
            arm(leaving);
        }
        return verdict != Verdict.NOBODY;
    }

    /** Who is not renewed gets the whole lease: the waiter is chosen when the backend has agreed to that. */
    private void arm(Hold leaving) {
        Moment sent = Moment.now(clock);
        long leaseNanos = leaving.terms.leaseNanos();
        backend.answer(
                backend.renew(List.of(leaving.renewCommand(leaving.terms.lease())))
                        .get(0),
                result -> {
                    Deadline deadline = Deadline.of(sent, leaseNanos);
                    long renewAt = leaving.terms.renewAt(sent.nanos());
                    if (result instanceof RenewResult.NotHeld) {
                        releases.foundLost(leaving);
                    } else if (!(result instanceof RenewResult.Renewed)
                            || pass(new Line(leaving, deadline, renewAt, Renewal.OFF)) != Verdict.PASSED) {
                        releases.release(leaving);
                    }
                });
    }

    /** Throws only before a waiter has the lock: behind that, the caller must not release it. */
    private Verdict pass(Line line) {
        Next next = decision(line);
        LockToken withdrawal = next.withdrawal();
        if (withdrawal != null) {
            Faults.guard("Withdrawing a wait", () -> withdraw(line.leaving.key, withdrawal));
        }
        if (next.decided().isEmpty()) {
            return line.toBeArmed ? Verdict.TO_BE_ARMED : Verdict.NOBODY;
        }
        Acquisition successor = next.decided().get(0);
        Faults.guard("Handing a lock over", () -> {
            releases.handedOver(line.leaving);
            successor.hold().ifPresent(watchdog::watch);
        });
        next.publish();
        return Verdict.PASSED;
    }

    private void withdraw(String key, LockToken withdrawal) {
        waiters.withdrawals().send(key, withdrawal);
        waiters.local().freed(key); // who came meanwhile may have lost its registration to the withdrawal
    }

    /** What the queue decided; also if it failed behind that, since the waiter has the lock then. */
    private Next decision(Line line) {
        try {
            return waiters.queues().ask(line.leaving.key, queue -> queue.handOver(line));
        } catch (RuntimeException | Error e) {
            Optional<Acquisition> successor = line.successor();
            if (successor.isEmpty()) {
                throw e;
            }
            return Next.NOTHING.publishing(List.of(successor.get()));
        }
    }

    /**
     * Tries one waiter after the other. {@link #toBeArmed}, {@link #waiter} and {@link #offered} belong to the calling thread.
     *
     * <p>{@code least} says who is let in: those who are renewed, or, when the lease was armed, all.
     */
    private final class Line implements Succession {

        private final Hold leaving;
        private final Deadline deadline;
        private final long renewAt;
        private final Renewal least;
        private boolean toBeArmed;
        private @Nullable Acquisition waiter;
        private Outcome.@Nullable Got offered;

        Line(Hold leaving, Deadline deadline, long renewAt, Renewal least) {
            this.leaving = leaving;
            this.deadline = deadline;
            this.renewAt = renewAt;
            this.least = least;
        }

        @Override
        public Optional<Outcome.Got> by(Acquisition waiter) {
            long now = clock.nanos();
            if (!waiter.terms.lease().equals(leaving.terms.lease())
                    || deadline.isOver(clock)
                    || !leaving.tenure.allowsHandOver(now, limits)) {
                return Optional.empty();
            }
            toBeArmed = least == Renewal.ON && waiter.terms.renewal() != Renewal.ON;
            OptionalLong fencingToken = toBeArmed ? OptionalLong.empty() : leaving.tenure.handOver(now, limits);
            return fencingToken.isEmpty() ? Optional.empty() : hold(waiter, fencingToken.getAsLong());
        }

        /**
         * Seen by who closes, or takes it away, before it is looked whether somebody has: it ends the hold, or there is none. While
         * there is none, as between one that is refused and the next, the revocations tell.
         */
        private Optional<Outcome.Got> hold(Acquisition waiter, long fencingToken) {
            Grant grant = new Grant(leaving.key, leaving.tenure, fencingToken, deadline, renewAt);
            Hold hold = new Hold(grant, waiter, clock, watchdog.timerTask());
            holds.add(hold);
            if (waiters.queues().isClosed() || isTakenAway()) {
                holds.remove(hold);
                return Optional.empty();
            }
            Outcome.Got got = new Outcome.Got(hold);
            this.waiter = waiter;
            this.offered = got;
            return Optional.of(got);
        }

        /** The waiter that has the lock, if one took what it was offered. */
        Optional<Acquisition> successor() {
            Acquisition last = waiter;
            Outcome.Got got = offered;
            if (last == null || got == null || last.wasDecided(got)) {
                return Optional.ofNullable(last);
            }
            holds.remove(got.hold());
            return Optional.empty();
        }

        private boolean isTakenAway() {
            return leaving.tenure.isRevoked() || revocations.tellOf(leaving.key, leaving.tenure.token);
        }

        @Override
        public boolean isUsedUpSoon() {
            return leaving.tenure.isUsedUp()
                    && clock.nanos() - leaving.tenure.askedAt()
                            < limits.maxTime().toNanos();
        }

        @Override
        public void refused(Outcome.Got refused) {
            holds.remove(refused.hold());
        }
    }
}
