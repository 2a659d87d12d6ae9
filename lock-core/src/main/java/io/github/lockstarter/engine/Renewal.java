package io.github.lockstarter.engine;

import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A renewal that was decided.
 *
 * @param hold whose lease it extends
 * @param kind why
 * @param sent before it is sent
 * @param lease what it asks for; the shortest one only confirms that the lock is there, since it never shortens a lease
 * @param period of the heartbeat, in which it is sent
 * @param answer completed with the answer, if the owner asks
 */
record Renewal(
        Hold hold,
        Kind kind,
        Deadline.Moment sent,
        Duration lease,
        long period,
        @Nullable CompletableFuture<RenewResult> answer) {

    private static final String MOVED =
            "the lock store failed over, restarted, or let a lock of this instance be taken over meanwhile";

    static final Duration SHORTEST = Duration.ofMillis(1);

    enum Kind {
        /** The watchdog renews. */
        REGULAR,
        /** The heartbeat asks whether the lock is still there. */
        CONFIRMATION,
        /** The owner asks, and gets the answer. */
        OF_OWNER,
        /** Its owner has left: a waiter that is not renewed is to get the whole lease. */
        BEFORE_HAND_OVER
    }

    Renewal(
            Hold hold,
            Kind kind,
            Deadline.Moment sent,
            Duration lease,
            @Nullable CompletableFuture<RenewResult> answer) {
        this(hold, kind, sent, lease, hold.grant.period(), answer);
    }

    /** Whether the timer's thread decides on it, and sends those that are due in one tick together. */
    boolean isOfTimer() {
        return kind == Kind.REGULAR || kind == Kind.CONFIRMATION;
    }

    RenewCommand command() {
        return hold.renewCommand(lease);
    }

    boolean extendsLease() {
        return lease.compareTo(SHORTEST) > 0;
    }

    Deadline deadline() {
        return Deadline.of(sent, lease.toNanos());
    }

    /** When the hold is renewed next: no later than before, if its owner asked for less than its own lease. */
    long renewNextAt() {
        return lease.compareTo(hold.terms.lease()) < 0 ? hold.renewAt : hold.terms.renewAt(sent.nanos());
    }

    /** As no answer, if it is one of a server that the beats do not go to, or do not go to any more. */
    RenewResult counted(RenewResult result) {
        return result instanceof RenewResult.Renewed renewed && !hold.grant.counts(period, renewed.history())
                ? new RenewResult.Unknown(MOVED, new IllegalStateException(MOVED))
                : result;
    }
}
