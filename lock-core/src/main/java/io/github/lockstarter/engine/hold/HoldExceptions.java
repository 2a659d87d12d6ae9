package io.github.lockstarter.engine.hold;

import io.github.lockstarter.DurationText;
import io.github.lockstarter.LockBackendException;
import io.github.lockstarter.LockInterruptedException;
import io.github.lockstarter.LockLostException;
import io.github.lockstarter.LockRequest;
import io.github.lockstarter.LockStoreRecoveringException;
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
                    case TAKEN_OVER ->
                        "this instance was cut off from the lock store, or paused, for longer than " + certainTime(hold)
                                + ", and the store no longer has it: most likely, another instance took the lock over";
                    case HISTORY_CHANGED ->
                        "the lock store restarted or failed over, and had not answered for longer than "
                                + certainTime(hold)
                                + ": it may have forgotten that another instance had the lock meanwhile";
                    case SHUTDOWN -> "the lock client was shut down";
                };
        return new LockLostException(
                hold.key,
                "Lost lock '" + hold.key + "' (fencing token " + hold.fencingToken + ") after "
                        + DurationText.of(hold.held()) + ": " + what
                        + ". Work since then may overlap with another owner; check the fencing token where you write.");
    }

    private static String certainTime(Hold hold) {
        return hold.grant
                .certainty
                .sessionTime()
                .map(time -> "its session is certain (" + DurationText.of(time) + ")")
                .orElseGet(() -> "crash-takeover (" + DurationText.of(hold.terms.crashTakeOver()) + ")");
    }

    static IllegalStateException released(Hold hold) {
        return new IllegalStateException("Lock '" + LockRequest.printable(hold.key) + "' (fencing token "
                + hold.fencingToken + ") was released by this handle; acquire it again");
    }

    public static LockBackendException inDoubt(Hold hold) {
        return new LockBackendException(
                hold.key,
                "Cannot enter lock '" + hold.key + "' (fencing token " + hold.fencingToken
                        + ") again: the lock store did not answer for a while, or failed over, and has not confirmed yet"
                        + " that the lock is still held. Try again once LockHandle.isHeld() is true",
                null);
    }

    static LockBackendException unanswered(Hold hold) {
        return new LockBackendException(
                hold.key,
                "Cannot tell whether lock '" + hold.key + "' (fencing token " + hold.fencingToken
                        + ") is still held: the lock store did not answer for a while, or failed over, and did not"
                        + " confirm the lock within a command timeout. Another instance may have taken it over. Repeat"
                        + " the work, as after any outage of the store",
                null);
    }

    public static LockBackendException unconfirmed(Hold hold) {
        return new LockBackendException(
                hold.key,
                "Could not acquire lock '" + hold.key + "' (fencing token " + hold.fencingToken
                        + ") in time: the store granted it late, and has not confirmed that nobody has taken it over since."
                        + " The lock is released. Check the connection to the lock store",
                null);
    }

    public static LockInterruptedException interrupted(Hold hold, InterruptedException cause) {
        return new LockInterruptedException(
                hold.key,
                "Interrupted while asking the lock store whether lock '" + hold.key
                        + "' is still held; its lease is unchanged",
                cause);
    }

    static LockStoreRecoveringException recovering(Hold hold, RenewResult.Deferred answer) {
        return new LockStoreRecoveringException(
                hold.key,
                "Could not extend lock '" + hold.key + "': the lock store is recovering for "
                        + DurationText.of(answer.retryAfter()) + " more; its lease is unchanged",
                answer.retryAfter());
    }
}
