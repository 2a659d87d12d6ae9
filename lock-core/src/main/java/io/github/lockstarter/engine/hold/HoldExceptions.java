package io.github.lockstarter.engine.hold;

import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
import io.github.lockstarter.engine.timer.DurationText;
import io.github.lockstarter.spi.RenewResult;

/** Exceptions of locks that were held: what failed, which key, the numbers, what to do. */
public final class HoldExceptions {

    private HoldExceptions() {}

    public static LockLostException lost(Hold hold) {
        int failed = hold.failedRenewals();
        String renewals =
                failed == 0 ? "" : " after " + failed + (failed == 1 ? " failed renewal" : " failed renewals");
        String what =
                switch (hold.lossCause()) {
                    case LEASE_EXPIRED -> "the " + DurationText.of(hold.terms.lease()) + " lease ran out" + renewals;
                    case OWNER_CHANGED -> "it was deleted, or taken by another owner, at the lock store";
                    case MAX_HOLD ->
                        "it was held longer than its max-hold"
                                + hold.terms
                                        .maxHold()
                                        .map(max -> " of " + DurationText.of(max))
                                        .orElse("");
                    case REVOKED -> "an operator took it away";
                    case SHUTDOWN -> "the lock client was shut down";
                };
        return new LockLostException(
                hold.key,
                "Lost lock '" + hold.key + "' (fencing token " + hold.fencingToken + ") after "
                        + DurationText.of(hold.held()) + ": " + what
                        + ". Work since then may overlap with another owner; check the fencing token where you write.");
    }

    static IllegalStateException released(Hold hold) {
        return new IllegalStateException("Lock '" + LockRequest.printable(hold.key) + "' (fencing token "
                + hold.fencingToken + ") was released by this handle; acquire it again");
    }

    static LockStoreRecoveringException recovering(Hold hold, RenewResult.Deferred answer) {
        return new LockStoreRecoveringException(
                hold.key,
                "Could not extend lock '" + hold.key + "': the lock store is recovering for "
                        + DurationText.of(answer.retryAfter()) + " more; its lease is unchanged",
                answer.retryAfter());
    }
}
