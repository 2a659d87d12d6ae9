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

    private final BackendCalls backend;
    private final EngineClock clock;
    private final EngineSettings.HandOver limits;
    private final Holds holds;
    private final WaitQueues queues;
    private final Watchdog watchdog;
    private final Releases releases;
    private final Withdrawals withdrawals;

    HandOver(Core core, WaitQueues queues, Watchdog watchdog, Releases releases, Withdrawals withdrawals) {
        this.backend = core.backend();
        this.clock = core.clock();
        this.limits = core.settings().handOver();
        this.holds = core.holds();
        this.queues = queues;
        this.watchdog = watchdog;
        this.releases = releases;
        this.withdrawals = withdrawals;
    }

    /** Whether the tenure goes on, or is ended from here. If not, the caller releases the lock. */
    boolean pass(Hold leaving, Deadline deadline) {
        if (!limits.isOn() || leaving.wasExtended() || !leaving.tenure.allowsHandOver(clock.nanos(), limits)) {
            return false;
        }
        Acquisition next = queues.first(leaving.key);
        if (next == null || !next.terms.lease().equals(leaving.terms.lease())) {
            return false;
        }
        if (next.terms.renewal() == Renewal.ON) {
            return succeed(leaving, deadline, leaving.progress.nextAt());
        }
        rearm(leaving);
        return true;
    }

    /** Who is not renewed gets the whole lease: the waiter is chosen when the backend has agreed to that. */
    private void rearm(Hold leaving) {
        Moment sent = Moment.now(clock);
        long leaseNanos = leaving.terms.leaseNanos();
        backend.answer(
                backend.renew(List.of(leaving.renewCommand(leaving.terms.lease())))
                        .get(0),
                result -> {
                    if (result instanceof RenewResult.NotHeld) {
                        releases.foundLost(leaving);
                    } else if (!(result instanceof RenewResult.Renewed)
                            || !succeed(
                                    leaving,
                                    Deadline.of(sent, leaseNanos),
                                    sent.nanos() + leaseNanos / Watchdog.RENEW_AT)) {
                        releases.release(leaving);
                    }
                });
    }

    private boolean succeed(Hold leaving, Deadline deadline, long renewAt) {
        OptionalLong fencingToken =
                deadline.isOver(clock) ? OptionalLong.empty() : leaving.tenure.handOver(clock.nanos(), limits);
        if (fencingToken.isEmpty()) {
            return false;
        }
        Succession succession =
                new Succession(new Grant(leaving.key, leaving.tenure, fencingToken.getAsLong(), deadline, renewAt));
        Next next = queues.ask(leaving.key, queue -> queue.handOver(leaving.terms.lease(), succession::by));
        LockToken withdrawal = next.withdrawal();
        if (withdrawal != null) {
            withdrawals.send(leaving.key, withdrawal);
        }
        Hold successor = succession.latest;
        if (successor == null) {
            return false;
        }
        if (next.decided().isEmpty()) {
            holds.remove(successor);
            return false;
        }
        watchdog.watch(successor);
        releases.handedOver(leaving);
        next.decided().forEach(Acquisition::publish);
        return true;
    }

    /** Makes the hold of one waiter after the other, until one takes it. {@link #latest} belongs to the calling thread. */
    private final class Succession {

        private final Grant grant;

        @Nullable
        Hold latest;

        Succession(Grant grant) {
            this.grant = grant;
        }

        /** Seen by who closes before it is looked whether somebody has: it ends the hold, or there is none. */
        Optional<Outcome.Got> by(Acquisition next) {
            Hold hold = new Hold(grant, next.terms, next.owner, clock, watchdog.timerTask());
            latest = hold;
            holds.add(hold);
            return queues.isClosed() ? Optional.empty() : Optional.of(new Outcome.Got(hold));
        }
    }
}
