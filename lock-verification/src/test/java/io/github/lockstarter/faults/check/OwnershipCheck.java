package io.github.lockstarter.faults.check;

import java.util.ArrayList;
import java.util.List;

/**
 * I4: only the owner releases or renews. A lock that is gone from the backend before its lease is over was taken by
 * somebody: nobody but the owner may, unless a fault made the backend forget. It may have done so before the hold was
 * asked for: one that was handed over lives on the lease of an earlier one.
 */
public final class OwnershipCheck implements Check {

    /** Before the end of its own clock's lease, the backend's may be over already. */
    private static final long DRIFT_NANOS = 2_000_000;

    @Override
    public List<Violation> violations(History history) {
        List<Span> forgetting = history.forgetting();
        List<Violation> found = new ArrayList<>();
        for (List<Hold> holds : history.holds().values()) {
            for (Hold hold : holds) {
                if (wasTaken(hold)
                        && !mayBeExecutedTwice(history, hold)
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
        boolean gone = hold.end().cause().equals("OWNER_CHANGED")
                || (hold.end().kind() == Hold.Kind.RELEASED
                        && hold.end().cause().equals("LOST"));
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

    /** When the backend had said so, at the latest. */
    private static long endOf(Hold hold) {
        return Math.max(hold.end().at(), hold.end().returnedAt());
    }
}
