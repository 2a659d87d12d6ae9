package io.github.lockstarter.engine;

import io.github.lockstarter.spi.RenewCommand;
import io.github.lockstarter.spi.RenewResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A renewal that was decided.
 *
 * @param sent before it was sent
 * @param lease requested lease; {@link #SHORTEST} only confirms the lock, since a renewal never shortens a lease
 * @param period of the heartbeat when it was sent
 * @param answer completed with the answer; null unless the owner requested it
 */
record RenewAttempt(
        Hold hold,
        Kind kind,
        Deadline.Moment sent,
        Duration lease,
        long period,
        @Nullable CompletableFuture<RenewResult> answer)
        implements StoreCalls.Continuation<RenewResult> {

    static final RenewResult UNSENT =
            new RenewResult.Unknown(KeyLock.FAILED, new IllegalStateException(KeyLock.FAILED));

    private static final String MOVED =
            "the lock store failed over, restarted, or let a lock of this instance be taken over meanwhile";

    static final Duration SHORTEST = Duration.ofMillis(1);

    enum Kind {
        /** Sent with the others of a tick, as is a confirmation. */
        REGULAR,
        /** Renews once in a new period of the heartbeat, for which the grant is not confirmed yet. */
        CONFIRMATION,
        /** By the owner, who gets the answer. */
        OF_OWNER
    }

    RenewAttempt(
            Hold hold,
            Kind kind,
            Deadline.Moment sent,
            Duration lease,
            @Nullable CompletableFuture<RenewResult> answer) {
        this(hold, kind, sent, lease, hold.grant.period(), answer);
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

    /** Next renewal; unchanged if the owner requested less than its lease. */
    long renewNextAt() {
        return lease.compareTo(hold.request.lease()) < 0 ? hold.renewAt : hold.request.renewAt(sent.nanos());
    }

    @Override
    public void accept(RenewResult result) {
        hold.lock.running.renewed(this, validated(result));
    }

    @Override
    public void failed(Throwable cause) {
        hold.lock.fail(cause);
        if (answer != null) {
            answer.complete(UNSENT);
        }
    }

    /** {@code Unknown} if a stale server answered. */
    private RenewResult validated(RenewResult result) {
        return result instanceof RenewResult.Renewed renewed && !hold.grant.isValid(period, renewed.history())
                ? new RenewResult.Unknown(MOVED, new IllegalStateException(MOVED))
                : result;
    }
}
