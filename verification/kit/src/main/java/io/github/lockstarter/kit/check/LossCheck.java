package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * I6: a loss is signalled once, at most 50 ms after the deadline. Workers check that it is never undone, and that each
 * of the readers that share a hold is told once.
 */
public final class LossCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        List<Violation> found = new ArrayList<>();
        for (List<LoggedHold> holds : history.holds().values()) {
            for (LoggedHold hold : holds) {
                if (history.isStarter(hold.worker())
                        && hold.end().kind() != LoggedHold.Kind.KILLED
                        && isLate(history, hold)) {
                    found.add(late(hold));
                }
            }
        }
        Set<String> signalled = new HashSet<>();
        for (LabEvent lost : history.of(EventKind.LOST)) {
            if (!LabEvent.isRead(lost.key()) && !signalled.add(lost.worker() + '/' + lost.key() + '#' + lost.token())) {
                found.add(Violation.of(
                        "I6", lost.key(), lost.at(), lost.worker() + " was told twice of the loss of " + lost.token()));
            }
        }
        return found;
    }

    /** A hold that was valid at its release has a later deadline. */
    private static boolean isLate(History history, LoggedHold hold) {
        long known = Math.max(hold.deadline(), hold.grantedAt());
        long overdue = hold.end().at() - known;
        return overdue > Allowance.PROMISED.toNanos()
                && overdue
                        > Allowance.forThread(
                                history, hold.worker(), known, hold.end().at());
    }

    private static Violation late(LoggedHold hold) {
        String how =
                hold.end().kind() == LoggedHold.Kind.LOST ? "was told of its loss " : "was not told of its loss until ";
        return Violation.of(
                "I6",
                hold.key(),
                hold.end().at(),
                hold + " " + how + (hold.end().at() - hold.deadline()) / 1_000_000 + " ms after the deadline",
                hold);
    }
}
