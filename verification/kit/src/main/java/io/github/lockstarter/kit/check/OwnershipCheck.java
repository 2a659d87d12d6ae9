package io.github.lockstarter.kit.check;

import java.util.ArrayList;
import java.util.List;

/**
 * I4: only the owner releases or renews. A lock that is gone from the backend before its lease is over was taken by
 * somebody: nobody but the owner may, unless a fault made the backend forget. It may have done so before the hold was
 * asked for: one that was handed over lives on the lease of an earlier one.
 *
 * <p>A lock may be taken over if the connection of its holder has ended. Only a fault of a link or a server does that:
 * a stopped process keeps its connections, and so its locks. But where locks end with a session, a process that is
 * stopped for as long loses it; and an operator may end one.
 */
public final class OwnershipCheck implements Check {

    /** Before the end of its own clock's lease, the backend's may be over already. */
    private static final long DRIFT_NANOS = 2_000_000;

    /** Nobody can tell whether another one has had the lock: it was not gone. */
    private static final String HISTORY_CHANGED = "HISTORY_CHANGED";

    private static final String TAKEN_OVER = "TAKEN_OVER";

    @Override
    public List<Violation> violations(History history) {
        List<Span> forgetting = history.forgetting();
        List<Violation> found = new ArrayList<>();
        for (List<Hold> holds : history.holds().values()) {
            for (Hold hold : holds) {
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

    private static boolean wasTaken(Hold hold) {
        String cause = hold.end().cause();
        boolean gone = cause.equals("OWNER_CHANGED")
                || cause.equals(TAKEN_OVER)
                || (hold.end().kind() == Hold.Kind.RELEASED
                        && cause.startsWith("LOST")
                        && !cause.endsWith(HISTORY_CHANGED));
        return gone && hold.deadline() - endOf(hold) > DRIFT_NANOS;
    }

    /**
     * A release whose answer was lost is sent again, and finds the lock with whoever got it in between. So a release
     * that says "lost" while something is wrong with a link or a server proves nothing.
     */
    private static boolean mayBeExecutedTwice(History history, Hold hold) {
        return hold.end().kind() == Hold.Kind.RELEASED
                && history.faults().stream()
                        .anyMatch(fault -> fault.touches(hold.end().at(), endOf(hold)));
    }

    /** A holder that certainly has the lock when it is told that it does not was not taken over. */
    private static boolean mayBeTakenOver(History history, Hold hold) {
        long from = hold.right().certainAt() - hold.right().takeOver() - Allowance.AFTERMATH.toNanos();
        return hold.isTakenOver()
                && hold.end().cause().endsWith(TAKEN_OVER)
                && history.outsideFaults().stream().anyMatch(fault -> fault.touches(from, endOf(hold)));
    }

    /**
     * It certainly has the lock for a part of the time-out after the store last heard of it; an operator does not wait.
     */
    private static boolean mayHaveEndedWithItsSession(History history, Hold hold) {
        long from = hold.right().certainAt() - history.sessionNanos() - Allowance.AFTERMATH.toNanos();
        boolean expired = hold.end().cause().endsWith(TAKEN_OVER)
                && history.faults().stream().anyMatch(fault -> fault.touches(from, endOf(hold)));
        boolean revoked = history.revoking().stream()
                .anyMatch(fault -> fault.touches(hold.requestedAt() - history.untilLearnt(), endOf(hold)));
        return (history.sessionNanos() != 0 && expired) || revoked;
    }

    /** When the backend had said so, at the latest. */
    private static long endOf(Hold hold) {
        return Math.max(hold.end().at(), hold.end().returnedAt());
    }
}
