package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin.Revocation;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

/**
 * The outcome of a release by an operator.
 *
 * @param outcome in a word
 * @param message what it means
 * @param store the lock as the store has it; absent unless the fencing token was stale
 */
public record ReleaseReport(Outcome outcome, String message, LocksPage.@Nullable Stored store)
        implements OperationResponseBody {

    /** The outcome in a word. */
    public enum Outcome {
        /** The lock is free, or has gone to a waiter. */
        RELEASED,
        /** Nothing was changed: the lock is not held under that fencing token. */
        STALE,
        /** Nothing was changed: a client of another kind has it, which has no fencing token. */
        FOREIGN,
        /** The outcome is unknown. */
        UNKNOWN
    }

    static ReleaseReport of(Revocation revocation) {
        if (revocation instanceof Revocation.Revoked) {
            return new ReleaseReport(
                    Outcome.RELEASED,
                    "Its holder is told that the lock is lost; what it still does may overlap with the next owner",
                    null);
        }
        if (revocation instanceof Revocation.Stale stale) {
            return new ReleaseReport(
                    Outcome.STALE,
                    "Nothing was changed: the lock does not have this fencing token. Look at it again",
                    LocksPage.Stored.of(stale.found()));
        }
        if (revocation instanceof Revocation.Foreign) {
            return new ReleaseReport(
                    Outcome.FOREIGN,
                    "Nothing was changed: a client of another kind has taken the lock since, and has no fencing token. To take"
                            + " it away, DEL its key in the store",
                    null);
        }
        return new ReleaseReport(
                Outcome.UNKNOWN,
                "Nobody knows whether the lock was released: " + ((Revocation.Unknown) revocation).reason(),
                null);
    }
}
