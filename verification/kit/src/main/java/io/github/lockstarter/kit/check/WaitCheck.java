package io.github.lockstarter.kit.check;

import io.github.lockstarter.kit.event.EventKind;
import io.github.lockstarter.kit.event.LabEvent;
import java.util.List;
import java.util.stream.Stream;

/**
 * I5, first half: every call returns within its wait and 50 ms, plus the command timeout while the store does not
 * answer. Other clients promise less; their results are for comparison.
 */
public final class WaitCheck implements Check {

    @Override
    public List<Violation> violations(History history) {
        return Stream.concat(history.of(EventKind.ACQUIRED).stream(), history.of(EventKind.REFUSED).stream())
                .filter(event -> overrun(event)
                        > Allowance.PROMISED.plus(Allowance.SCHEDULING).toNanos())
                .filter(event ->
                        overrun(event) > Allowance.forAnswer(history, event.worker(), event.from(), event.at()))
                .map(WaitCheck::violation)
                .toList();
    }

    private static long overrun(LabEvent event) {
        return event.at() - event.from() - event.amount();
    }

    private static Violation violation(LabEvent event) {
        return Violation.of(
                "I5",
                event.key(),
                event.at(),
                event.worker() + " was answered (" + event.note() + ") " + overrun(event) / 1_000_000
                        + " ms after the end of its wait of " + event.amount() / 1_000_000 + " ms");
    }
}
