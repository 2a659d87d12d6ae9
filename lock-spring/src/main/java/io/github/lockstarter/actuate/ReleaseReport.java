package io.github.lockstarter.actuate;

import io.github.lockstarter.LockAdmin.Revocation;
import org.springframework.boot.actuate.endpoint.OperationResponseBody;

public record ReleaseReport(ReportedOutcome outcome, String message) implements OperationResponseBody {

    public enum ReportedOutcome {
        /** Free, even if reserved for its minimum hold or granted to a waiter. */
        RELEASED,
        STALE,
        /** Unchanged: a client of another kind, without a fencing token, holds it. */
        FOREIGN,
        UNKNOWN
    }

    static ReleaseReport of(Revocation revocation) {
        if (revocation instanceof Revocation.Revoked) {
            return new ReleaseReport(
                    ReportedOutcome.RELEASED,
                    "The holder, if there is one, is notified that the lock is lost; its remaining work may overlap "
                            + "with the next owner");
        }
        if (revocation instanceof Revocation.Stale) {
            return new ReleaseReport(
                    ReportedOutcome.STALE,
                    "Nothing was changed: the lock does not have this fencing token. Read the lock again");
        }
        if (revocation instanceof Revocation.Foreign) {
            return new ReleaseReport(
                    ReportedOutcome.FOREIGN,
                    "Nothing was changed: a client of another kind has acquired the lock since, and has no fencing"
                            + " token. To release the lock, DEL its key in the store");
        }
        return new ReleaseReport(
                ReportedOutcome.UNKNOWN,
                "It is unknown whether the lock was released: " + ((Revocation.Unknown) revocation).reason());
    }
}
