package io.github.lockstarter.kit.check;

import java.util.ArrayList;
import java.util.List;

/**
 * I4: only the owner releases or renews. A lock that disappears before its lease ends was taken by another owner,
 * which is a violation unless a fault made the store lose data. The fault may precede the request, since a handed-over
 * hold uses the lease of an earlier one.
 *
 * <p>A lock may be taken over when the connection of its holder ends, which only a fault of a link or a server causes:
 * a paused process keeps its connections and so its locks. If locks end with a session, a process that is paused for
 * longer loses them. An operator may revoke them.
 */
public final class OwnershipCheck implements Check {

    /** The lease may end earlier by the clock of the store. */
    private static final long DRIFT_NANOS = 2_000_000;

    /** Does not mean that the lock was gone. */
    private static final String HISTORY_CHANGED = "HISTORY_CHANGED";

    private static final String TAKEN_OVER = "TAKEN_OVER";

    @Override
    public List<Violation> violations(History history) {
        List<Span> forgetting = history.forgetting();
        List<Violation> found = new ArrayList<>();
        for (List<LoggedHold> holds : history.holds().values()) {
            for (LoggedHold hold : holds) {
                if (wasTaken(hold)
                        && !mayBeExecutedTwice(history, hold)
                        && !mayBeTakenOver(history, hold)
                        && !mayHaveEndedWithItsSession(history, hold)
                        && forgetting.stream()
                                .noneMatch(span ->
                                        span.touches(hold.requestedAt() - history.leaseNanos() * 2, endOf(hold)))) {
                    found.add(Violation.of(
                            "I4",
                            hold.key(),
                            hold.end().at(),
                            hold + " was gone from the backend " + (hold.deadline() - endOf(hold)) / 1_000_000
                                    + " ms before its lease was over",
                            hold));
                }
            }
        }
        return found;
    }

    private static boolean wasTaken(LoggedHold hold) {
        String cause = hold.end().cause();
        boolean gone = cause.equals("OWNER_CHANGED")
                || cause.equals(TAKEN_OVER)
                || (hold.end().kind() == LoggedHold.Kind.RELEASED
                        && cause.startsWith("LOST")
                        && !cause.endsWith(HISTORY_CHANGED));
        return gone && hold.deadline() - endOf(hold) > DRIFT_NANOS;
    }

    /**
     * A release whose reply was lost is repeated, and may then find the next owner. So "lost" proves nothing during a
     * fault of a link or a server.
     */
    private static boolean mayBeExecutedTwice(History history, LoggedHold hold) {
        return hold.end().kind() == LoggedHold.Kind.RELEASED
                && history.faults().stream()
                        .anyMatch(fault -> fault.touches(hold.end().at(), endOf(hold)));
    }

    /** A takeover needs a fault at most one takeover time before the holder was last certain. */
    private static boolean mayBeTakenOver(History history, LoggedHold hold) {
        long from = hold.right().certainAt() - hold.right().takeover() - Allowance.AFTERMATH.toNanos();
        return hold.isTakenOver()
                && hold.end().cause().endsWith(TAKEN_OVER)
                && history.outsideFaults().stream().anyMatch(fault -> fault.touches(from, endOf(hold)));
    }

    /** A holder stays certain for a part of the session timeout after its last contact; a revocation is immediate. */
    private static boolean mayHaveEndedWithItsSession(History history, LoggedHold hold) {
        long from = hold.right().certainAt() - history.sessionNanos() - Allowance.AFTERMATH.toNanos();
        boolean expired = hold.end().cause().endsWith(TAKEN_OVER)
                && history.faults().stream().anyMatch(fault -> fault.touches(from, endOf(hold)));
        boolean revoked = history.revoking().stream()
                .anyMatch(fault -> fault.touches(hold.requestedAt() - history.revocationDelay(), endOf(hold)));
        return (history.sessionNanos() != 0 && expired) || revoked;
    }

    /** When the store had answered, at the latest. */
    private static long endOf(LoggedHold hold) {
        return Math.max(hold.end().at(), hold.end().returnedAt());
    }
}
