package io.github.lockstarter.faults.check;

import io.github.lockstarter.faults.event.EventKind;
import io.github.lockstarter.faults.event.LabEvent;
import java.util.ArrayList;
import java.util.List;

/**
 * I4: only the owner releases or renews. A lock that is gone from the backend before its lease is over was taken by somebody:
 * nobody but the owner may, unless a fault made the backend forget.
 */
public final class OwnershipCheck implements Check {

    /** What a fault is called that makes the backend forget: {@code FAULT.note} begins with it. */
    public static final String FORGETS = "forgets:";

    /** Before the end of its own clock's lease, the backend's may be over already. */
    private static final long DRIFT_NANOS = 2_000_000;

    @Override
    public List<Violation> violations(History history) {
        List<Span> forgetting = history.of(EventKind.FAULT).stream()
                .filter(event -> event.note().startsWith(FORGETS))
                .map(OwnershipCheck::span)
                .toList();
        List<Violation> found = new ArrayList<>();
        for (List<Hold> holds : history.holds().values()) {
            for (Hold hold : holds) {
                if (wasTaken(hold)
                        && forgetting.stream().noneMatch(span -> span.touches(hold.requestedAt(), endOf(hold)))) {
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

    /** When the backend had said so, at the latest. */
    private static long endOf(Hold hold) {
        return Math.max(hold.end().at(), hold.end().returnedAt());
    }

    private static Span span(LabEvent event) {
        return new Span(event.key(), event.note(), event.from(), event.until());
    }
}
